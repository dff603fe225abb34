import { describe, expect, it, vi } from 'vitest';
import { Assistant } from './assistant';
import type { Port } from './engine';
import type { FromWorker, ToWorker } from './protocol';

const module = {} as WebAssembly.Module;

class FakePort implements Port {
  sent: ToWorker[] = [];
  stopped = false;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  postMessage(message: ToWorker) {
    this.sent.push(message);
  }
  terminate() {
    this.stopped = true;
  }
  say(data: FromWorker) {
    this.onmessage?.({ data } as MessageEvent<FromWorker>);
  }
  get calls() {
    return this.sent.flatMap((message) => (message.kind === 'call' ? [message] : []));
  }
  answer(text: string) {
    this.say({ kind: 'answer', id: this.calls.at(-1)!.id, raw: text, head: { text }, ms: 1 });
  }
}

describe('the assistant', () => {
  it('has no answer as long as there is no module, and starts once there is', async () => {
    let known: WebAssembly.Module | undefined;
    const ports: FakePort[] = [];
    const assistant = new Assistant(
      () => {
        ports.push(new FakePort());
        return ports.at(-1)!;
      },
      () => known,
    );
    expect(await assistant.ask('hover', '', {})).toBeUndefined();
    expect(ports).toHaveLength(0);
    known = module;
    const answer = assistant.ask('hover', 'a', { line: 1 });
    expect(ports[0]!.sent).toEqual([{ kind: 'start', module }]);
    ports[0]!.say({ kind: 'ready', module, loaded: undefined });
    expect(ports[0]!.calls[0]).toMatchObject({
      operation: 'hover',
      text: 'a',
      options: '{"line":1}',
    });
    const id = ports[0]!.calls[0]!.id;
    ports[0]!.say({ kind: 'part', id: id - 1, path: ['items'], items: ['of another answer'] });
    ports[0]!.say({ kind: 'part', id, path: ['items'], items: [1, 2] });
    ports[0]!.say({ kind: 'answer', id, raw: '', head: { items: [] }, ms: 1 });
    expect(await answer).toEqual({ items: [1, 2] });
  });

  it('asks one after the other, and of the same only the newest', async () => {
    const port = new FakePort();
    const assistant = new Assistant(
      () => port,
      () => module,
    );
    const first = assistant.ask('complete', '1', {});
    port.say({ kind: 'ready', module, loaded: undefined });
    const second = assistant.ask('complete', '2', {});
    const hover = assistant.ask('hover', 'h', {});
    const third = assistant.ask('complete', '3', {});
    expect(await second).toBeUndefined();
    expect(port.calls.map(({ text }) => text)).toEqual(['1']);
    port.answer('one');
    expect(await first).toEqual({ text: 'one' });
    port.answer('hovered');
    expect(await hover).toEqual({ text: 'hovered' });
    port.answer('three');
    expect(await third).toEqual({ text: 'three' });
    expect(port.calls.map(({ text }) => text)).toEqual(['1', 'h', '3']);
  });

  it('gives up what takes too long or fails, and starts anew', async () => {
    vi.useFakeTimers();
    const ports: FakePort[] = [];
    const assistant = new Assistant(
      () => {
        ports.push(new FakePort());
        return ports.at(-1)!;
      },
      () => module,
    );
    const slow = assistant.ask('complete', '', {});
    ports[0]!.say({ kind: 'ready', module, loaded: undefined });
    vi.advanceTimersByTime(9_999);
    expect(ports[0]!.stopped).toBe(false);
    vi.advanceTimersByTime(1);
    expect(await slow).toBeUndefined();
    expect(ports[0]!.stopped).toBe(true);
    const failing = assistant.ask('complete', '', {});
    ports[1]!.say({ kind: 'failed', failure: { stage: 'run', detail: '' } });
    expect(await failing).toBeUndefined();
    vi.useRealTimers();
  });

  it('keeps questions of views apart, and gives each up by its own signal', async () => {
    const port = new FakePort();
    const assistant = new Assistant(
      () => port,
      () => module,
    );
    const outline = () => {
      const control = new AbortController();
      return { control, answer: assistant.ask('outline', 'o', {}, control.signal) };
    };
    const palette = outline();
    port.say({ kind: 'ready', module, loaded: undefined });
    const [view, hidden] = [outline(), outline()];
    hidden.control.abort();
    expect(await hidden.answer).toBeUndefined();
    port.answer('palette');
    expect(await palette.answer).toEqual({ text: 'palette' });
    port.answer('view');
    expect(await view.answer).toEqual({ text: 'view' });
    expect(port.calls).toHaveLength(2);
  });

  it('does not let what nobody waits for hold up the next', async () => {
    vi.useFakeTimers();
    const ports: FakePort[] = [];
    const assistant = new Assistant(
      () => {
        ports.push(new FakePort());
        return ports.at(-1)!;
      },
      () => module,
    );
    const control = new AbortController();
    const old = assistant.ask('admit', 'old', {}, control.signal);
    ports[0]!.say({ kind: 'ready', module, loaded: undefined });
    vi.advanceTimersByTime(500);
    control.abort();
    const next = assistant.ask('admit', 'next', {}, new AbortController().signal);
    vi.advanceTimersByTime(1499);
    expect(ports[0]!.stopped).toBe(false);
    vi.advanceTimersByTime(1);
    expect(await old).toBeUndefined();
    expect(ports[0]!.stopped).toBe(true);
    ports[1]!.say({ kind: 'ready', module, loaded: undefined });
    expect(ports[1]!.calls.map(({ text }) => text)).toEqual(['next']);
    ports[1]!.answer('answered');
    expect(await next).toEqual({ text: 'answered' });
    vi.useRealTimers();
  });

  it('starts anew for what waits when it fell over a text, but not when it cannot start', async () => {
    const ports: FakePort[] = [];
    const assistant = new Assistant(
      () => {
        ports.push(new FakePort());
        return ports.at(-1)!;
      },
      () => module,
    );
    const bad = assistant.ask('admit', 'bad', {});
    const good = assistant.ask('outline', 'good', {});
    ports[0]!.say({ kind: 'ready', module, loaded: undefined });
    ports[0]!.say({ kind: 'failed', failure: { stage: 'run', detail: '' } });
    expect(await bad).toBeUndefined();
    ports[1]!.say({ kind: 'failed', failure: { stage: 'start', detail: '' } });
    expect(await good).toBeUndefined();
    expect(ports).toHaveLength(2);
  });

  it('gives a view as much time as the text is given', async () => {
    vi.useFakeTimers();
    const port = new FakePort();
    const assistant = new Assistant(
      () => port,
      () => module,
    );
    const { signal } = new AbortController();
    const slow = assistant.ask('nodeOperations', 'x'.repeat(1e6), {}, signal);
    port.say({ kind: 'ready', module, loaded: undefined });
    vi.advanceTimersByTime(24_999);
    expect(port.stopped).toBe(false);
    vi.advanceTimersByTime(1);
    expect(await slow).toBeUndefined();
    vi.useRealTimers();
  });
});
