// Answers written out for people. A long one would hold the page up, so a
// worker writes it, which is gone again afterwards.

import { indentJSON, yamlOf } from '../json';

export interface Printing {
  form: 'json' | 'yaml';
  raw: string;
}

export interface Printed {
  text: string;
}

export function print({ form, raw }: Printing): string {
  return form === 'json' ? indentJSON(raw) : yamlOf(raw);
}

/** What is shorter is written sooner than a worker starts. */
const short = 50_000;

/** Writes an answer out, wherever it does not disturb. */
export function printed(form: Printing['form'], raw: string): Promise<string> {
  if (raw.length <= short) return Promise.resolve(print({ form, raw }));
  return new Promise((done, fail) => {
    const worker = new Worker(new URL('./print.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<Printed>) => {
      worker.terminate();
      done(data.text);
    };
    worker.onerror = (event) => {
      event.preventDefault?.();
      worker.terminate();
      fail(new Error(event.message));
    };
    worker.postMessage({ form, raw } satisfies Printing);
  });
}
