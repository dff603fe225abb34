import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const module = fileURLToPath(new URL('gen/drawbridge.wasm', import.meta.url));

/**
 * While developing, Vite serves style sheets as inline styles. The policy of
 * the page forbids those, and is left out there; what is built has it.
 */
const withoutPolicy: Plugin = {
  name: 'without-policy',
  apply: 'serve',
  transformIndexHtml: (html) =>
    html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, ''),
};

export default defineConfig(({ command, mode }) => ({
  // Relative, so that the same files work from any folder of any host.
  base: './',
  define: {
    // What the page has to load, for its progress bar: a compressed transfer
    // does not say how much it will be.
    __WASM_BYTES__: mode === 'test' ? 0 : statSync(module).size,
  },
  build: {
    target: 'es2022',
    // The wasm module and everything else stays a file of its own: data URLs
    // would need a weaker content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.md' },
  },
  worker: { format: 'es' as const },
  plugins: [withoutPolicy],
  server: { host: '127.0.0.1' },
  appType: command === 'serve' ? ('spa' as const) : ('mpa' as const),
  test: {
    include: ['src/**/*.test.ts'],
    environment: 'node',
  },
}));
