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
  let response: Response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw new LoadError({ stage: 'fetch', detail: String(error) });
  }
  if (!response.ok || !response.body) {
    const detail = `HTTP ${response.status}`;
    throw new LoadError({ stage: 'fetch', status: response.status, detail });
  }

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
