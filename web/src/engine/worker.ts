// Runs the core away from the page, so that typing never waits for it.

import '../../gen/wasm_exec.js';
import wasmURL from '../../gen/drawbridge.wasm?url';
import { load, LoadError } from './load';
import { cut } from './parts';
import type { Call, FromWorker, Loaded, Start, ToWorker } from './protocol';

type Tell = (done: number, total: number, what: string) => void;
type Operation = (text: string, options: string, tell: Tell) => string;

/** How often the page hears how far the core is. */
const tellEvery = 100;

interface GoProgram {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

interface CoreScope {
  Go: new () => GoProgram;
  drawbridge?: Record<string, Operation>;
  drawbridgeReady?: () => void;
}

declare const __WASM_BYTES__: number;

const scope = globalThis as unknown as CoreScope;
const post = (message: FromWorker) => self.postMessage(message);

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === 'start') await start(data);
  else call(data);
};

async function start({ module: known }: Start): Promise<void> {
  let module = known;
  let loaded: Loaded | undefined;
  try {
    if (!module) {
      ({ module, loaded } = await load(wasmURL, __WASM_BYTES__, (received, total) =>
        post({ kind: 'progress', received, total }),
      ));
    }
    await run(module);
    post({ kind: 'ready', module, loaded });
  } catch (error) {
    const failure =
      error instanceof LoadError
        ? error.failure
        : { stage: 'start' as const, detail: String(error) };
    post({ kind: 'failed', failure });
  }
}

async function run(module: WebAssembly.Module): Promise<void> {
  const go = new scope.Go();
  const instance = await WebAssembly.instantiate(module, go.importObject);
  const ready = new Promise<void>((done) => (scope.drawbridgeReady = done));
  const ended = go.run(instance).then(() => {
    // The program runs until something fatal, such as memory running out.
    const detail = 'the program ended';
    post({ kind: 'failed', failure: { stage: 'run', detail } });
    throw new Error(detail);
  });
  ended.catch(() => undefined);
  await Promise.race([ready, ended]);
}

function call({ id, operation, text, options }: Call): void {
  const began = performance.now();
  try {
    const run = scope.drawbridge?.[operation];
    if (!run) throw new Error(`the core has no operation ${operation}`);
    let told = began;
    const raw = run(text, options, (done, total, what) => {
      const now = performance.now();
      if (now - told < tellEvery) return;
      told = now;
      post({ kind: 'working', id, done, total, what });
    });
    const ms = performance.now() - began;
    const { head, parts } = cut(JSON.parse(raw));
    for (const part of parts) post({ kind: 'part', id, ...part });
    post({ kind: 'answer', id, raw, head, ms });
  } catch (error) {
    post({ kind: 'failed', failure: { stage: 'run', detail: String(error) } });
  }
}
