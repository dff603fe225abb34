import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Engine, type Port, type Question } from './engine';
import type { Call, FromWorker, ToWorker } from './protocol';

class FakeWorker implements Port {
  sent: ToWorker[] = [];
  terminated = false;
  onmessage: Port['onmessage'] = null;
  onerror: Port['onerror'] = null;
  postMessage(message: ToWorker) {
    this.sent.push(message);
  }
  terminate() {
    this.terminated = true;
  }
  say(message: FromWorker) {
    this.onmessage?.({ data: message } as MessageEvent<FromWorker>);
  }
  get calls() {
    return this.sent.filter((message): message is Call => message.kind === 'call');
  }
  answer(text: string) {
    this.say({ kind: 'answer', id: this.calls.at(-1)!.id, raw: text, head: { text }, ms: 1 });
  }
}

const module = {} as WebAssembly.Module;

function setUp() {
  const workers: FakeWorker[] = [];
  const events = {
    progress: vi.fn(),
    ready: vi.fn(),
    failed: vi.fn(),
    working: vi.fn(),
    abandoned: vi.fn(),
    began: vi.fn(),
  };
  const engine = new Engine(
    () => {
      const worker = new FakeWorker();
      workers.push(worker);
      return worker;
    },
    events,
    { answer: 1000, perMegabyte: 500, stale: 100 },
  );
  const answers: string[] = [];
  const question = (text: string, operations = ['validate', 'allocate']): Question => ({
    text,
    options: { kubernetesVersion: '1.37' },
    operations,
    answered: (operation, { raw }) => answers.push(`${operation} ${raw}`),
  });
  engine.start();
  return { engine, workers, events, answers, question, worker: () => workers.at(-1)! };
}

describe('Engine', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('asks once it is ready, one operation after the other', () => {
    const { engine, worker, events, answers, question } = setUp();
    engine.ask(question('a'));
    expect(worker().calls).toEqual([]);
    worker().say({ kind: 'ready', module, loaded: { bytes: 1, transferred: undefined } });
    expect(events.ready).toHaveBeenCalledWith({ bytes: 1, transferred: undefined });
    worker().answer('1');
    worker().answer('2');
    expect(
      worker().calls.map(({ operation, text, options }) => [operation, text, options]),
    ).toEqual([
      ['validate', 'a', '{"kubernetesVersion":"1.37"}'],
      ['allocate', 'a', '{"kubernetesVersion":"1.37"}'],
    ]);
    expect(answers).toEqual(['validate 1', 'allocate 2']);
  });

  it('skips texts that nobody waits for any more', () => {
    const { engine, worker, answers, question } = setUp();
    worker().say({ kind: 'ready', module, loaded: undefined });
    engine.ask(question('a'));
    engine.ask(question('b'));
    engine.ask(question('c'));
    worker().answer('a');
    worker().answer('c');
    expect(worker().calls.map(({ text }) => text)).toEqual(['a', 'c', 'c']);
    expect(answers).toEqual(['validate c']);
  });

  it('abandons what takes too long, says so, and starts anew with the same module', () => {
    const { engine, workers, worker, events, answers, question } = setUp();
    worker().say({ kind: 'ready', module, loaded: undefined });
    engine.ask(question('slow'));
    const late = workers[0]!.onmessage!;
    vi.advanceTimersByTime(999);
    expect(events.abandoned).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(events.abandoned).toHaveBeenCalledWith(1);
    expect(workers[0]!.terminated).toBe(true);
    expect(worker().sent).toEqual([{ kind: 'start', module }]);
    const data: FromWorker = { kind: 'answer', id: 1, raw: 'late', head: {}, ms: 1 };
    late({ data } as MessageEvent<FromWorker>);
    worker().say({ kind: 'ready', module, loaded: undefined });
    expect(worker().calls).toEqual([]);
    expect(answers).toEqual([]);
    engine.ask(question('quick'));
    worker().answer('x');
    expect(answers).toEqual(['validate x']);
  });

  it('does not let an old text hold up a new one, and says nothing of it', () => {
    const { engine, worker, events, question } = setUp();
    worker().say({ kind: 'ready', module, loaded: undefined });
    engine.ask(question('slow'));
    vi.advanceTimersByTime(60);
    engine.ask(question('new'));
    vi.advanceTimersByTime(40);
    worker().say({ kind: 'ready', module, loaded: undefined });
    expect(worker().calls.map(({ text }) => text)).toEqual(['new']);
    expect(events.abandoned).not.toHaveBeenCalled();
  });

  it('stops at once when asked to', () => {
    const { engine, workers, worker, events, question } = setUp();
    worker().say({ kind: 'ready', module, loaded: undefined });
    engine.abandon();
    expect(workers.length).toBe(1);
    engine.ask(question('slow'));
    engine.abandon();
    expect(events.abandoned).toHaveBeenCalledOnce();
    expect(workers.length).toBe(2);
  });

  it('lets what tells how far it is take its time, and says so', () => {
    const { engine, worker, workers, events, question } = setUp();
    worker().say({ kind: 'ready', module, loaded: undefined });
    engine.ask(question('long'));
    for (let done = 1; done <= 3; done++) {
      vi.advanceTimersByTime(900);
      worker().say({ kind: 'working', id: 1, done, total: 9, what: 'pods' });
    }
    expect(workers.length).toBe(1);
    expect(events.working).toHaveBeenLastCalledWith({ done: 3, total: 9, what: 'pods' });
    worker().say({ kind: 'working', id: 7, done: 9, total: 9, what: 'pods' });
    expect(events.working).toHaveBeenCalledTimes(3);
    engine.ask(question('newer'));
    worker().say({ kind: 'working', id: 1, done: 4, total: 9, what: 'pods' });
    vi.advanceTimersByTime(100);
    expect(workers.length).toBe(2);
  });

  it('puts an answer in parts together, without those of an earlier one', () => {
    const { engine, worker, events, question } = setUp();
    worker().say({ kind: 'ready', module, loaded: undefined });
    const results: object[] = [];
    engine.ask({ ...question('a'), answered: (_, { result }) => results.push(result) });
    worker().say({ kind: 'part', id: 1, path: ['list'], items: [1, 2] });
    worker().say({ kind: 'part', id: 1, path: ['list'], items: [3] });
    worker().say({ kind: 'answer', id: 1, raw: '', head: { list: [] }, ms: 1 });
    worker().say({ kind: 'part', id: 1, path: ['list'], items: ['late'] });
    worker().say({ kind: 'answer', id: 2, raw: '', head: { list: [] }, ms: 1 });
    expect(results).toEqual([{ list: [1, 2, 3] }, { list: [] }]);
    expect(events.began.mock.calls).toEqual([['validate'], ['allocate']]);
  });

  it('gives a long text more time', () => {
    const { engine, worker, events, question } = setUp();
    worker().say({ kind: 'ready', module, loaded: undefined });
    engine.ask(question('x'.repeat(2_000_000)));
    vi.advanceTimersByTime(1990);
    expect(events.abandoned).not.toHaveBeenCalled();
    vi.advanceTimersByTime(20);
    expect(events.abandoned).toHaveBeenCalledOnce();
  });

  it('gives single operations a text and options of their own', () => {
    const { engine, worker, question } = setUp();
    worker().say({ kind: 'ready', module, loaded: undefined });
    engine.ask({
      ...question('a'),
      special: { allocate: { text: 'b', options: { picture: true } } },
    });
    worker().answer('1');
    expect(worker().calls.map(({ text, options }) => [text, options])).toEqual([
      ['a', '{"kubernetesVersion":"1.37"}'],
      ['b', '{"kubernetesVersion":"1.37","picture":true}'],
    ]);
  });

  it('reports failures and can be started again, with the question still open', () => {
    const { engine, worker, workers, events, question } = setUp();
    engine.ask(question('a'));
    const failure = { stage: 'fetch' as const, detail: 'x' };
    worker().say({ kind: 'failed', failure });
    expect(events.failed).toHaveBeenCalledWith(failure);
    expect(workers[0]!.terminated).toBe(true);
    engine.start();
    expect(worker().sent).toEqual([{ kind: 'start' }]);
    worker().say({ kind: 'ready', module, loaded: undefined });
    expect(worker().calls.map(({ text }) => text)).toEqual(['a']);
  });

  it('reports a worker that cannot be created or loaded', () => {
    const events = {
      progress: vi.fn(),
      ready: vi.fn(),
      failed: vi.fn(),
      working: vi.fn(),
      abandoned: vi.fn(),
      began: vi.fn(),
    };
    new Engine(() => {
      throw new Error('refused');
    }, events).start();
    expect(events.failed).toHaveBeenCalledWith({ stage: 'start', detail: 'Error: refused' });
    const { worker, events: others } = setUp();
    worker().onerror!({ message: 'gone' } as ErrorEvent);
    expect(others.failed).toHaveBeenCalledWith({ stage: 'fetch', detail: 'gone' });
  });
});
