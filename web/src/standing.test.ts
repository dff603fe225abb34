import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Standing, type Asked, type Page, type Question } from './standing';
import { initial } from './state';
import { Store } from './store';

type Result = { said: string };

/** A page with a text, and a core that answers when it is told to. */
function setUp() {
  const store = new Store({ ...initial, engine: { phase: 'ready' } });
  const calls: {
    operation: string;
    text: string;
    options: object;
    signal: AbortSignal;
    done(found: object | undefined): void;
  }[] = [];
  const page = {
    store,
    text: 'a',
    core: {
      options: () => ({ kubernetesVersion: store.state.version }),
      answer: (operation: string, text: string, options: object, signal: AbortSignal) =>
        new Promise((done) => calls.push({ operation, text, options, signal, done })),
    },
  } as Page & { text: string };
  const told: Asked<Result>[] = [];
  const standing = new Standing<Result>(page, (asked) => told.push(asked));
  return {
    page,
    store,
    calls,
    told,
    standing,
    put: (question: Partial<Question> = {}) => standing.put({ operation: 'outline', ...question }),
    /** The text changes, is asked about, and answered. */
    write(text: string) {
      page.text = text;
      store.dispatch({ kind: 'asked' });
      store.dispatch({ kind: 'allocated', answer: {} as never });
      vi.runAllTimers();
    },
    async say(said: string, call = calls.at(-1)!) {
      call.done({ said });
      await Promise.resolve();
    },
  };
}

describe('a standing question', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is asked anew about each text, whatever else the core says of that', async () => {
    const { put, write, say, calls, told } = setUp();
    put({ options: { phase: 'mutating' } });
    await say('of a');
    write('b');
    expect(told).toEqual([{ result: { said: 'of a' } }]);
    await say('of b');
    expect(told.at(-1)).toEqual({ result: { said: 'of b' } });
    expect(calls.map(({ operation, text, options }) => [operation, text, options])).toEqual([
      ['outline', 'a', { kubernetesVersion: '', phase: 'mutating' }],
      ['outline', 'b', { kubernetesVersion: '', phase: 'mutating' }],
    ]);
  });

  it('is not asked again about the same', async () => {
    const { put, write, say, store, calls } = setUp();
    put();
    await say('of a');
    write('a');
    store.dispatch({ kind: 'validated', answer: {} as never });
    store.dispatch({ kind: 'line', line: 7 });
    vi.runAllTimers();
    put();
    expect(calls).toHaveLength(1);
    put({ options: { other: true } });
    expect(calls).toHaveLength(2);
  });

  it('waits while the text is being answered, and takes no answer to an older one', async () => {
    const { page, put, say, store, calls, told } = setUp();
    put();
    page.text = 'b';
    store.dispatch({ kind: 'asked' });
    expect(calls[0]!.signal.aborted).toBe(true);
    await say('of a', calls[0]);
    vi.runAllTimers();
    expect([calls.length, told]).toEqual([1, []]);
    put({ options: { more: true } });
    expect(calls).toHaveLength(1);
    store.dispatch({ kind: 'refused', refusal: { option: '', message: '' } });
    vi.runAllTimers();
    expect(calls.map(({ text }) => text)).toEqual(['a', 'b']);
    expect(calls[1]!.options).toMatchObject({ more: true });
    // Back to the first text, whose answer nobody took.
    page.text = 'a';
    store.dispatch({ kind: 'asked' });
    store.dispatch({ kind: 'abandoned', seconds: 1 });
    vi.runAllTimers();
    await say('of a again');
    expect(told).toEqual([{ result: { said: 'of a again' } }]);
  });

  it('is not asked about a text that is still being typed', async () => {
    const { page, put, say, store, calls, told } = setUp();
    put();
    page.text = 'ab';
    store.dispatch({ kind: 'typed' });
    expect(calls[0]!.signal.aborted).toBe(true);
    // The answer to the text before does not make it ready.
    store.dispatch({ kind: 'allocated', answer: {} as never });
    vi.runAllTimers();
    expect(calls).toHaveLength(1);
    store.dispatch({ kind: 'asked' });
    store.dispatch({ kind: 'allocated', answer: {} as never });
    vi.runAllTimers();
    await say('of ab');
    expect(calls.map(({ text }) => text)).toEqual(['a', 'ab']);
    expect(told).toEqual([{ result: { said: 'of ab' } }]);
  });

  it('takes the options of the page as they are, or none of them', async () => {
    const { put, store, calls } = setUp();
    put();
    store.dispatch({ kind: 'choose', version: '1.34', gates: {} });
    vi.runAllTimers();
    put({ alone: true });
    store.dispatch({ kind: 'choose', version: '1.35', gates: {} });
    vi.runAllTimers();
    expect(calls.map(({ options }) => options)).toEqual([
      { kubernetesVersion: '' },
      { kubernetesVersion: '1.34' },
      {},
    ]);
  });

  it('about a text of its own waits for nobody', () => {
    const { page, put, store, calls } = setUp();
    store.dispatch({ kind: 'asked' });
    put({ text: 'own' });
    page.text = 'b';
    store.dispatch({ kind: 'asked' });
    vi.runAllTimers();
    expect(calls.map(({ text }) => text)).toEqual(['own']);
    put({ about: (text) => `<${text}>` });
    store.dispatch({ kind: 'allocated', answer: {} as never });
    vi.runAllTimers();
    expect(calls.at(-1)!.text).toBe('<b>');
  });

  it('says why there is no answer, and tries once more when there is hope', async () => {
    const { put, store, calls, told } = setUp();
    store.dispatch({ kind: 'restart' });
    put();
    vi.runAllTimers();
    expect(calls).toHaveLength(0);
    store.dispatch({ kind: 'ready', loaded: undefined });
    vi.runAllTimers();
    calls[0]!.done(undefined);
    await Promise.resolve();
    expect(told).toEqual([{ none: true }]);
    store.dispatch({ kind: 'ready', loaded: undefined });
    vi.runAllTimers();
    calls[1]!.done({ error: { option: 'object', message: 'is none' } });
    await Promise.resolve();
    expect(told.at(-1)).toEqual({ refused: 'object is none' });
  });

  it('is over when its view is gone', async () => {
    const { put, write, say, standing, calls, told } = setUp();
    put();
    standing.end();
    expect(calls[0]!.signal.aborted).toBe(true);
    await say('of a');
    write('b');
    expect([calls.length, told]).toEqual([1, []]);
  });
});
