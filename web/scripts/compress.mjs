// Writes .br and .gz files beside the built files, at the highest levels:
// done once here, so that the server never compresses while it answers.
// The slow part, brotli of the wasm module, is kept in node_modules/.cache
// and reused while the module stays the same.

import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const web = fileURLToPath(new URL('..', import.meta.url));
const dist = join(web, 'dist');
const cache = join(web, 'node_modules', '.cache', 'compress');

const compressible = /\.(?:html|js|css|svg|wasm|json|md|yaml|txt)$/;
const smallest = 1024; // Below this the headers weigh more than the gain.

const encodings = {
  '.br': (bytes) =>
    brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 11,
        [constants.BROTLI_PARAM_LGWIN]: 24,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  '.gz': (bytes) => gzipSync(bytes, { level: 9 }),
};

mkdirSync(cache, { recursive: true });
for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !compressible.test(entry.name)) continue;
  const path = join(entry.parentPath, entry.name);
  const bytes = readFileSync(path);
  if (bytes.length < smallest) continue;
  const digest = createHash('sha256').update(bytes).digest('hex');
  const sizes = [];
  for (const [suffix, encode] of Object.entries(encodings)) {
    const cached = join(cache, digest + suffix);
    if (!existsSync(cached)) writeFileSync(cached, encode(bytes));
    copyFileSync(cached, path + suffix);
    sizes.push(`${suffix.slice(1)} ${readFileSync(cached).length}`);
  }
  console.log(`${path.slice(dist.length + 1)}: ${bytes.length}, ${sizes.join(', ')}`);
}

// The folder is part of the repository, its content is not.
writeFileSync(join(dist, '.gitkeep'), '');
