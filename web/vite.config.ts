import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const module = fileURLToPath(new URL('gen/drawbridge.wasm', import.meta.url));

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
  server: { host: '127.0.0.1' },
  appType: command === 'serve' ? ('spa' as const) : ('mpa' as const),
  test: {
    include: ['src/**/*.test.ts'],
    environment: 'node',
  },
}));
