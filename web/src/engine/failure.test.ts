import { describe, expect, it } from 'vitest';
import { explain } from './failure';
import type { Failing } from './protocol';

describe('explain', () => {
  it.each<[string, Failing, boolean, RegExp]>([
    ['offline', { stage: 'fetch', detail: 'TypeError: Failed to fetch' }, false, /offline/],
    ['broken', { stage: 'fetch', detail: 'TypeError: network error' }, true, /connection/],
    ['gone', { stage: 'fetch', status: 404, detail: 'HTTP 404' }, true, /Reload/],
    ['host', { stage: 'fetch', status: 503, detail: 'HTTP 503' }, true, /HTTP 503/],
    ['damaged', { stage: 'compile', detail: 'CompileError: bad magic' }, true, /bad magic/],
    [
      'policy',
      { stage: 'compile', detail: 'CompileError: violates the Content Security Policy directive' },
      true,
      /wasm-unsafe-eval/,
    ],
    [
      'old',
      { stage: 'start', detail: 'ReferenceError: WebAssembly is not defined' },
      true,
      /current/,
    ],
    ['memory', { stage: 'compile', detail: 'RangeError: Out of memory' }, true, /smaller/],
    ['ended', { stage: 'run', detail: 'the program ended' }, true, /change the text/],
  ])('names the cause: %s', (_, failing, online, text) => {
    const { title, text: said } = explain(failing, online);
    expect(said).toMatch(text);
    expect(title).not.toBe('');
  });
});
