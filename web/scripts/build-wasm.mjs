// Builds the core for the browser into gen/, with the start-up file that
// belongs to the Go version that built it.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const gen = fileURLToPath(new URL('../gen', import.meta.url));
const module = join(gen, 'drawbridge.wasm');

// DRAWBRIDGE_VERSION names a release. Nothing else of the moment goes in, so
// that the same source gives the same bytes.
const version = process.env.DRAWBRIDGE_VERSION;

mkdirSync(gen, { recursive: true });
execFileSync(
  'go',
  ['run', './wasm/slim/build', '-o', module, ...(version ? ['-version', version] : [])],
  { cwd: repository, stdio: 'inherit' },
);
const goroot = execFileSync('go', ['env', 'GOROOT'], { cwd: repository, encoding: 'utf8' }).trim();
copyFileSync(join(goroot, 'lib', 'wasm', 'wasm_exec.js'), join(gen, 'wasm_exec.js'));

console.log(`gen/drawbridge.wasm ${(statSync(module).size / 1e6).toFixed(1)} MB`);
