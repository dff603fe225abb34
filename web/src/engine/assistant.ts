// A second copy of the core for what the editor asks while somebody types, and
// for views that are shown: help must not wait for an allocation. It is started
// when it is first needed, from the module that the first copy has compiled.

import { defaultLimits, type Port } from './engine';
import { join, type Part } from './parts';
import type { FromWorker } from './protocol';

/** How long one answer may take where it comes while somebody types. */
const limit = 10_000;

/** A view may take as long as all else that is said of the text. */
function patience({ signal, text }: Inquiry): number {
  const { answer, perMegabyte } = defaultLimits;
  return signal ? answer + (perMegabyte * text.length) / 1e6 : limit;
}

interface Inquiry {
  operation: string;
  text: string;
  options: object;
  signal: AbortSignal | undefined;
  done(answer: object | undefined): void;
}

export class Assistant {
  private worker: Port | undefined;
  private ready = false;
  private running: Inquiry | undefined;
  private waiting: Inquiry[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private since = 0;
  private id = 0;
  private parts: Part[] = [];

  constructor(
    private readonly create: () => Port,
    /** The compiled module; undefined as long as there is none. */
    private readonly module: () => WebAssembly.Module | undefined,
  ) {}

  /**
   * Asks for an answer. It is undefined if there is none: because the
   * core is not there yet, because it failed or took too long, or because the
   * question was given up. Its signal does that; one without a signal is given
   * up when the same is asked, without a signal too, before it was its turn.
   */
  ask(
    operation: string,
    text: string,
    options: object,
    signal?: AbortSignal,
  ): Promise<object | undefined> {
    return new Promise((done) => {
      const inquiry = { operation, text, options, signal, done };
      signal?.addEventListener('abort', () => this.giveUp(inquiry), { once: true });
      const same = this.waiting.find(
        (other) => !signal && !other.signal && other.operation === operation,
      );
      if (same) this.giveUp(same);
      this.waiting.push(inquiry);
      this.proceed();
    });
  }

  private giveUp(inquiry: Inquiry): void {
    const at = this.waiting.indexOf(inquiry);
    if (at >= 0) this.waiting.splice(at, 1)[0]!.done(undefined);
    if (inquiry !== this.running) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.restart(), this.since + defaultLimits.stale - Date.now());
  }

  private proceed(): void {
    if (this.running) return;
    if (!this.worker && !this.start()) return this.stop();
    if (!this.ready || !this.worker) return;
    this.running = this.waiting.shift();
    if (!this.running) return;
    this.parts = [];
    const { operation, text, options } = this.running;
    this.since = Date.now();
    this.timer = setTimeout(() => this.restart(), patience(this.running));
    this.worker.postMessage({
      kind: 'call',
      id: ++this.id,
      operation,
      text,
      options: JSON.stringify(options),
    });
  }

  private start(): boolean {
    const module = this.module();
    if (!module) return false;
    try {
      this.worker = this.create();
    } catch {
      return false;
    }
    this.worker.onmessage = ({ data }) => this.receive(data);
    this.worker.onerror = (event) => {
      event.preventDefault?.();
      this.fail();
    };
    this.worker.postMessage({ kind: 'start', module });
    return true;
  }

  private receive(message: FromWorker): void {
    if (message.kind === 'ready') {
      this.ready = true;
      this.proceed();
    } else if (message.kind === 'failed') {
      this.fail();
    } else if (message.kind === 'part' && message.id === this.id) {
      this.parts.push(message);
    } else if (message.kind === 'answer' && message.id === this.id) {
      clearTimeout(this.timer);
      const inquiry = this.running;
      this.running = undefined;
      inquiry?.done(join(message.head, this.parts) as object);
      this.proceed();
    }
  }

  private fail(): void {
    // What could not even start would not start for the next question either.
    if (this.ready) this.restart();
    else this.stop();
  }

  /** Gives up what is running, and starts anew for what waits. */
  private restart(): void {
    const { running } = this;
    this.end();
    running?.done(undefined);
    if (this.waiting.length > 0) this.proceed();
  }

  /** Gives up everything; the next question starts anew. */
  private stop(): void {
    const open = [...(this.running ? [this.running] : []), ...this.waiting];
    this.waiting = [];
    this.end();
    for (const inquiry of open) inquiry.done(undefined);
  }

  private end(): void {
    clearTimeout(this.timer);
    if (this.worker) {
      this.worker.onmessage = null;
      this.worker.onerror = null;
      this.worker.terminate();
    }
    this.worker = undefined;
    this.ready = false;
    this.running = undefined;
  }
}
