// Keeps the page for when there is no network. The build writes above this
// which version it is and what files it has; a version uses its own files and
// no others, so that old and new never meet. A new one waits until it is told,
// or until no window has the old one any more.

const { version, files } = self.release;

// Other copies of the page may live in other folders of the same host.
const mine = `drawbridge ${self.registration.scope} `;
const name = mine + version;
const addresses = new Set(files.map((file) => new URL(file, self.registration.scope).href));

/** Files that are named after their content never change. */
const named = /\/assets\/.*-[\w-]{8,}\.\w+$/;

addEventListener('install', (event) => event.waitUntil(install()));

async function install() {
  const cache = await caches.open(name);
  for (const address of addresses) {
    const known = named.test(address) && (await caches.match(address));
    await cache.put(address, known || (await get(address)));
  }
}

async function get(address) {
  const response = await fetch(address, { cache: named.test(address) ? 'default' : 'no-cache' });
  if (!response.ok) throw new Error(`${address}: HTTP ${response.status}`);
  // Browsers refuse to show a page from an answer that was redirected.
  if (!response.redirected) return response;
  return new Response(response.body, { headers: response.headers });
}

addEventListener('activate', (event) => event.waitUntil(tidy()));

async function tidy() {
  for (const other of await caches.keys()) {
    if (other.startsWith(mine) && other !== name) await caches.delete(other);
  }
}

addEventListener('message', ({ data }) => {
  if (data === 'use') self.skipWaiting();
});

addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  // Whether another page may embed this one is for the host to say.
  if (request.method !== 'GET' || url.searchParams.has('embed')) return;
  const address = (url.origin + url.pathname).replace(/\/index\.html$/, '/');
  if (addresses.has(address)) event.respondWith(answer(request, address));
});

async function answer(request, address) {
  const cache = await caches.open(name);
  return (await cache.match(address)) ?? fetch(request);
}
