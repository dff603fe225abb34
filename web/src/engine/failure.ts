// What a failure to load or run the core means, and what one can do about it.

import { t } from '../texts';
import type { Failing } from './protocol';

export interface Explained {
  title: string;
  text: string;
}

export function explain(failure: Failing, online = true): Explained {
  const { stage, status, detail } = failure;
  const words = t.failure;
  if (/WebAssembly is not defined/.test(detail)) return words.unsupported;
  if (/content security policy|unsafe-eval/i.test(detail)) return words.blocked;
  if (/out of memory|memory allocation|could not allocate|RangeError/i.test(detail)) {
    return words.memory;
  }
  if (stage === 'fetch') return { title: words.fetch.title, text: fetchFailed(status, online) };
  const { title, text } = words[stage];
  return { title, text: text(detail) };
}

function fetchFailed(status: number | undefined, online: boolean): string {
  const words = t.failure.fetch;
  if (status === 404) return words.gone;
  if (status !== undefined) return words.status(status);
  return online ? words.broken : words.offline;
}
