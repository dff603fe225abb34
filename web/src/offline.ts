// Keeps the page for when there is no network, and offers a new version when
// there is one. The page works without all this.

/** How often to look for a new version, at most, in a window that stays open. */
const interval = 30 * 60_000;

let started = false;

export async function keepOffline(updated: (use: () => void) => void): Promise<void> {
  if (started || import.meta.env.DEV || !('serviceWorker' in navigator)) return;
  started = true;
  const { serviceWorker } = navigator;
  let controlled = serviceWorker.controller !== null;
  serviceWorker.addEventListener('controllerchange', () => {
    // The version that drew this page is gone, and its files with it.
    if (controlled) location.reload();
    controlled = true;
  });
  try {
    const registration = await serviceWorker.register(new URL('sw.js', document.baseURI));
    const offer = () => {
      if (!registration.waiting || !serviceWorker.controller) return;
      updated(() => registration.waiting?.postMessage('use'));
    };
    offer();
    registration.addEventListener('updatefound', () => {
      registration.installing?.addEventListener('statechange', offer);
    });
    lookAgain(registration);
  } catch {
    // Forbidden, or no room: then there is a network, or no page.
  }
}

function lookAgain(registration: ServiceWorkerRegistration): void {
  let last = performance.now();
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState !== 'visible' || performance.now() - last < interval) return;
    last = performance.now();
    registration.update().catch(() => {
      // No network: the version that is here is the newest there can be.
    });
  });
}
