// A plain static host for the built page, in a sub-folder: what the page must
// be able to live on. Like the server it prefers the compressed files.

import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../dist', import.meta.url));

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.wasm': 'application/wasm',
};

/** Starts the host; resolves to the page's address and a function to stop it. */
export async function serve(folder = '/some/folder/') {
  /** Other bytes than those of the file, by name. */
  const instead = new Map();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://host');
    const name = pathname.startsWith(folder) ? pathname.slice(folder.length) || 'index.html' : '';
    if (instead.has(name)) {
      response.writeHead(200, { 'content-type': types[extname(name)] }).end(instead.get(name));
      return;
    }
    const path = join(dist, normalize('/' + name));
    if (!name || !existsSync(path) || !statSync(path).isFile()) {
      response.writeHead(404).end();
      return;
    }
    const headers = { 'content-type': types[extname(path)] ?? 'application/octet-stream' };
    const brotli = /\bbr\b/.test(request.headers['accept-encoding'] ?? '');
    if (brotli && existsSync(path + '.br')) {
      response.writeHead(200, { ...headers, 'content-encoding': 'br' });
      createReadStream(path + '.br').pipe(response);
    } else {
      response.writeHead(200, headers);
      createReadStream(path).pipe(response);
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}${folder}`,
    instead,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
