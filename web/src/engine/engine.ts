// The page's side of the worker: one question at a time, the newest one
// next, and none that lasts forever.

import type { Options } from '../api';
import type { Failing, FromWorker, Loaded, ToWorker, Working } from './protocol';

export interface Events {
  progress(received: number, total: number): void;
  ready(loaded: Loaded | undefined): void;
  failed(failure: Failing): void;
  /** How far the core is with what takes long. */
  working(working: Working): void;
  /** A question took too long; the worker was stopped and starts anew. */
  abandoned(seconds: number): void;
}

/** What the engine needs of a Worker. */
export interface Port {
  postMessage(message: ToWorker): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

export interface Question {
  text: string;
  options: Options;
  operations: readonly string[];
  /** For an operation that takes another text, or more options. */
  special?: Readonly<Record<string, { text?: string; options?: object }>>;
  answered(operation: string, answer: string, ms: number): void;
}

export interface Limits {
  /** How long one operation may take. */
  answer: number;
  /** How long one may still take when its text is no longer the newest. */
  stale: number;
}

export const defaultLimits: Limits = { answer: 20_000, stale: 2_000 };

export class Engine {
  private worker: Port | undefined;
  private module: WebAssembly.Module | undefined;
  private ready = false;
  private current: { question: Question; remaining: string[]; since: number } | undefined;
  private next: Question | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private id = 0;

  constructor(
    private readonly create: () => Port,
    private readonly events: Events,
    private readonly limits: Limits = defaultLimits,
  ) {}

  /** The compiled module, for further workers; undefined until there is one. */
  get compiled(): WebAssembly.Module | undefined {
    return this.module;
  }

  /** Starts the worker, or starts it anew after a failure. */
  start(): void {
    this.stop();
    try {
      this.worker = this.create();
    } catch (error) {
      this.events.failed({ stage: 'start', detail: String(error) });
      return;
    }
    this.worker.onmessage = ({ data }) => this.receive(data);
    this.worker.onerror = (event) => {
      // The worker's own file did not load, or threw where nothing caught it.
      event.preventDefault?.();
      this.fail({ stage: this.ready ? 'run' : 'fetch', detail: event.message ?? 'worker error' });
    };
    this.worker.postMessage({ kind: 'start', ...(this.module && { module: this.module }) });
  }

  /** Asks; a question that waits, and has not been started, is replaced. */
  ask(question: Question): void {
    this.next = question;
    if (!this.current) this.proceed();
    else this.limit(Math.max(0, this.limits.stale - (Date.now() - this.current.since)), false);
  }

  /** Gives up what is running, at the user's wish. */
  abandon(): void {
    if (this.current) this.giveUp(true);
  }

  private proceed(): void {
    if (!this.ready || !this.worker) return;
    if (!this.current || this.current.remaining.length === 0 || this.next) {
      clearTimeout(this.timer);
      this.current = undefined;
      if (!this.next) return;
      const question = this.next;
      this.next = undefined;
      this.current = { question, remaining: [...question.operations], since: 0 };
    }
    const operation = this.current.remaining[0]!;
    this.current.since = Date.now();
    this.limit(this.limits.answer, true);
    const { question } = this.current;
    const special = question.special?.[operation];
    this.worker.postMessage({
      kind: 'call',
      id: ++this.id,
      operation,
      text: special?.text ?? question.text,
      options: JSON.stringify({ ...question.options, ...special?.options }),
    });
  }

  private limit(ms: number, tell: boolean): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.giveUp(tell), ms);
  }

  private giveUp(tell: boolean): void {
    const seconds = this.current ? (Date.now() - this.current.since) / 1000 : 0;
    this.current = undefined;
    this.start();
    if (tell) this.events.abandoned(seconds);
  }

  private receive(message: FromWorker): void {
    switch (message.kind) {
      case 'progress':
        return this.events.progress(message.received, message.total);
      case 'ready':
        this.module = message.module;
        this.ready = true;
        this.events.ready(message.loaded);
        return this.proceed();
      case 'failed':
        return this.fail(message.failure);
      case 'working':
        return this.working(message.id, message);
      case 'answer':
        return this.answer(message.id, message.answer, message.ms);
    }
  }

  /** Who tells how far it is may take its time, unless somebody waits for a newer text. */
  private working(id: number, { done, total, what }: Working): void {
    if (id !== this.id || !this.current || this.next) return;
    this.limit(this.limits.answer, true);
    this.events.working({ done, total, what });
  }

  private answer(id: number, answer: string, ms: number): void {
    if (id !== this.id || !this.current) return;
    clearTimeout(this.timer);
    const operation = this.current.remaining.shift()!;
    // An answer to a text that is no longer there would only flicker.
    if (!this.next) this.current.question.answered(operation, answer, ms);
    this.proceed();
  }

  private fail(failure: Failing): void {
    this.stop();
    this.current = undefined;
    this.events.failed(failure);
  }

  private stop(): void {
    clearTimeout(this.timer);
    if (this.worker) {
      this.worker.onmessage = null;
      this.worker.onerror = null;
      this.worker.terminate();
    }
    this.worker = undefined;
    this.ready = false;
  }
}
