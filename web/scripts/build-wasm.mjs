// Builds the core for the browser into gen/, with the start-up file that
// belongs to the Go version that built it.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const gen = fileURLToPath(new URL('../gen', import.meta.url));
const module = join(gen, 'drawbridge.wasm');

mkdirSync(gen, { recursive: true });
execFileSync('go', ['build', '-trimpath', '-ldflags=-s -w', '-o', module, './wasm'], {
  cwd: repository,
  env: { ...process.env, GOOS: 'js', GOARCH: 'wasm', CGO_ENABLED: '0' },
  stdio: 'inherit',
});
const goroot = execFileSync('go', ['env', 'GOROOT'], { cwd: repository, encoding: 'utf8' }).trim();
copyFileSync(join(goroot, 'lib', 'wasm', 'wasm_exec.js'), join(gen, 'wasm_exec.js'));

console.log(`gen/drawbridge.wasm ${(statSync(module).size / 1e6).toFixed(1)} MB`);
