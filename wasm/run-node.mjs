// Runs the wasm module in Node. Reads requests from standard input, one JSON
// object a line, and writes one line of JSON for each, in the same order:
//
//   {"id": 1, "op": "validate", "text": "…", "options": {"kubernetesVersion": "1.37"}}
//   {"id": 1, "result": "…"}
//
// "result" is the string that the module returned, byte for byte. A text that
// is not valid UTF-8 goes into "base64" instead of "text".
//
//   node wasm/run-node.mjs drawbridge.wasm path/to/wasm_exec.js
//
// The second path is Go's own file, $(go env GOROOT)/lib/wasm/wasm_exec.js,
// of the version of Go that built the module. Both can be left out when the
// page has been built: its copies are used then.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

const built = fileURLToPath(new URL('../web/gen/', import.meta.url));

/** Starts the module and resolves to its object of functions. */
export async function start(
  wasmPath = resolve(built, 'drawbridge.wasm'),
  execPath = resolve(built, 'wasm_exec.js'),
) {
  await import(pathToFileURL(resolve(execPath)).href);
  const go = new globalThis.Go();
  const { instance } = await WebAssembly.instantiate(await readFile(wasmPath), go.importObject);
  const ready = new Promise((done) => (globalThis.drawbridgeReady = done));
  const exited = go.run(instance).then(() => {
    throw new Error('the module ended before it was ready');
  });
  await Promise.race([ready, exited]);
  return globalThis.drawbridge;
}

/** Performs one request, given as a line of JSON. */
export function answer(functions, line) {
  const { id, op, text = '', base64, options = {} } = JSON.parse(line);
  const call = Object.hasOwn(functions, op) ? functions[op] : undefined;
  if (!call) {
    return { id, result: JSON.stringify({ error: { option: '', message: `there is no operation "${op}"` } }) };
  }
  const input = base64 === undefined ? text : new Uint8Array(Buffer.from(base64, 'base64'));
  return { id, result: call(input, typeof options === 'string' ? options : JSON.stringify(options)) };
}

/** Splits a stream at line feeds only: node:readline also splits at U+2028. */
async function* lines(stream) {
  let rest = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop();
    yield* parts;
  }
  yield rest;
}

async function main([wasmPath, execPath]) {
  const functions = await start(wasmPath, execPath);
  for await (const line of lines(process.stdin)) {
    if (line.trim() === '') continue;
    if (!process.stdout.write(JSON.stringify(answer(functions, line)) + '\n')) {
      await once(process.stdout, 'drain');
    }
  }
  // The Go program waits for calls forever; nothing else keeps Node alive.
  process.stdout.write('', () => process.exit(0));
}

if (process.argv[1] && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  await main(process.argv.slice(2));
}
