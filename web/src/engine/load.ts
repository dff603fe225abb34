// Loads and compiles the module, and reports how far it has come.

import type { Failing, Loaded } from './protocol';

export class LoadError extends Error {
  constructor(readonly failure: Failing) {
    super(failure.detail);
  }
}

export async function load(
  url: string,
  expected: number,
  progress: (received: number, total: number) => void,
): Promise<{ module: WebAssembly.Module; loaded: Loaded }> {
  const response = await get(url);

  let received = 0;
  let broken: unknown; // The transfer's own error: compilation hides it.
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        received += chunk.length;
        progress(received, Math.max(expected, received));
        controller.enqueue(chunk);
      },
    }),
  );
  const watched = watch(counted, (error) => (broken = error));
  // A response of our own: compileStreaming insists on a content type that
  // not every static host sends.
  const headers = { 'content-type': 'application/wasm' };
  const body = new Response(watched, { headers });

  try {
    const module =
      'compileStreaming' in WebAssembly
        ? await WebAssembly.compileStreaming(body)
        : await WebAssembly.compile(await body.arrayBuffer());
    return { module, loaded: { bytes: received, transferred: transferredBytes(url) } };
  } catch (error) {
    const stage = broken === undefined ? 'compile' : 'fetch';
    throw new LoadError({ stage, detail: String(broken ?? error) });
  }
}

/** Milliseconds after which what may have been a hiccup is tried again. */
const pauses = [300, 1200];

/** Asks for the module; a host or network that stumbles is asked again. */
async function get(url: string): Promise<Response & { body: ReadableStream<Uint8Array> }> {
  for (let turn = 0; ; turn++) {
    let failing: Failing;
    try {
      const response = await fetch(url);
      if (response.ok && response.body) return response as never;
      const { status } = response;
      failing = { stage: 'fetch', status, detail: `HTTP ${status}` };
    } catch (error) {
      failing = { stage: 'fetch', detail: String(error) };
    }
    const passing = failing.status === undefined || failing.status >= 500 || failing.status === 429;
    const pause = pauses[turn];
    if (!passing || pause === undefined) throw new LoadError(failing);
    await new Promise((done) => setTimeout(done, pause));
  }
}

/** Passes a stream on, and tells when it breaks. */
function watch(
  stream: ReadableStream<Uint8Array>,
  onError: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        onError(error);
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function transferredBytes(url: string): number | undefined {
  const [entry] = performance.getEntriesByName(new URL(url, location.href).href);
  const size = (entry as PerformanceResourceTiming | undefined)?.encodedBodySize;
  return size || undefined;
}
