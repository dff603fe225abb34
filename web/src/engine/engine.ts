// The page's side of the worker: one question at a time, the newest one
// next, and none that lasts forever.

import type { Options } from '../api';
import { join, type Part } from './parts';
import type { Failing, FromWorker, Loaded, ToWorker, Working } from './protocol';

export interface Events {
  progress(received: number, total: number): void;
  ready(loaded: Loaded | undefined): void;
  failed(failure: Failing): void;
  /** The core was given a question of a text, the next of its operations. */
  began(operation: string): void;
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

/** What the core has answered. */
export interface Answered {
  result: object;
  /** The answer as the core wrote it. */
  raw: string;
  ms: number;
}

export interface Question {
  text: string;
  options: Options;
  operations: readonly string[];
  /** For an operation that takes another text, or more options. */
  special?: Readonly<Record<string, { text?: string; options?: object }>>;
  answered(operation: string, answer: Answered): void;
}

export interface Limits {
  /** How long one operation may take. */
  answer: number;
  /** How much longer for each million characters of the text. */
  perMegabyte: number;
  /** How long one may still take when its text is no longer the newest. */
  stale: number;
}

export const defaultLimits: Limits = { answer: 20_000, perMegabyte: 5_000, stale: 2_000 };

export class Engine {
  private worker: Port | undefined;
  private module: WebAssembly.Module | undefined;
  private ready = false;
  private current: { question: Question; remaining: string[]; since: number } | undefined;
  private next: Question | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private id = 0;
  /** What has come so far of the answer that is on its way. */
  private parts: Part[] = [];

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
    this.parts = [];
    const { question } = this.current;
    this.limit(this.patience(question), true);
    const special = question.special?.[operation];
    this.events.began(operation);
    this.worker.postMessage({
      kind: 'call',
      id: ++this.id,
      operation,
      text: special?.text ?? question.text,
      options: JSON.stringify({ ...question.options, ...special?.options }),
    });
  }

  private patience({ text }: Question): number {
    return this.limits.answer + (this.limits.perMegabyte * text.length) / 1e6;
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
      case 'part':
        if (message.id === this.id) this.parts.push(message);
        return;
      case 'answer':
        return this.answer(message);
    }
  }

  /** Who tells how far it is may take its time, unless somebody waits for a newer text. */
  private working(id: number, { done, total, what }: Working): void {
    if (id !== this.id || !this.current || this.next) return;
    this.limit(this.patience(this.current.question), true);
    this.events.working({ done, total, what });
  }

  private answer({ id, raw, head, ms }: FromWorker & { kind: 'answer' }): void {
    if (id !== this.id || !this.current) return;
    clearTimeout(this.timer);
    const operation = this.current.remaining.shift()!;
    // An answer to a text that is no longer there would only flicker.
    if (!this.next) {
      const result = join(head, this.parts) as object;
      this.current.question.answered(operation, { result, raw, ms });
    }
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
