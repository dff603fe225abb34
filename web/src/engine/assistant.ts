// A second copy of the core for what the editor asks while somebody types:
// help must not wait for an allocation. It is started when it is first needed,
// from the module that the first copy has compiled.

import type { Port } from './engine';
import { join, type Part } from './parts';
import type { FromWorker } from './protocol';

/** How long one answer may take. */
const limit = 10_000;

interface Inquiry {
  operation: string;
  text: string;
  options: object;
  done(answer: object | undefined): void;
}

export class Assistant {
  private worker: Port | undefined;
  private ready = false;
  private running: Inquiry | undefined;
  private waiting: Inquiry[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private id = 0;
  private parts: Part[] = [];

  constructor(
    private readonly create: () => Port,
    /** The compiled module; undefined as long as there is none. */
    private readonly module: () => WebAssembly.Module | undefined,
  ) {}

  /**
   * Asks for an answer. It is undefined if there is none: because the
   * core is not there yet, because it failed, or because the same was asked
   * again before it was this one's turn.
   */
  ask(operation: string, text: string, options: object): Promise<object | undefined> {
    return new Promise((done) => {
      const same = this.waiting.findIndex((inquiry) => inquiry.operation === operation);
      if (same >= 0) this.waiting.splice(same, 1)[0]!.done(undefined);
      this.waiting.push({ operation, text, options, done });
      this.proceed();
    });
  }

  private proceed(): void {
    if (this.running) return;
    if (!this.worker && !this.start()) return this.stop();
    if (!this.ready || !this.worker) return;
    this.running = this.waiting.shift();
    if (!this.running) return;
    this.parts = [];
    const { operation, text, options } = this.running;
    this.timer = setTimeout(() => this.stop(), limit);
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
      this.stop();
    };
    this.worker.postMessage({ kind: 'start', module });
    return true;
  }

  private receive(message: FromWorker): void {
    if (message.kind === 'ready') {
      this.ready = true;
      this.proceed();
    } else if (message.kind === 'failed') {
      this.stop();
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

  /** Gives up everything; the next question starts anew. */
  private stop(): void {
    clearTimeout(this.timer);
    if (this.worker) {
      this.worker.onmessage = null;
      this.worker.onerror = null;
      this.worker.terminate();
    }
    this.worker = undefined;
    this.ready = false;
    const open = [...(this.running ? [this.running] : []), ...this.waiting];
    this.running = undefined;
    this.waiting = [];
    for (const inquiry of open) inquiry.done(undefined);
  }
}
