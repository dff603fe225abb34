// A question that stands as long as its view is shown: it is asked anew
// whenever the text or the options are others, and only then.

import type { Failure, Options } from './api';
import { awaited, type State } from './state';
import { differs, type Store } from './store';

/** What there is of an answer; nothing at all while the first is awaited. */
export interface Asked<R> {
  result?: R;
  /** Why the core cannot answer, in its words. */
  refused?: string;
  /** There will be no answer. */
  none?: boolean;
}

export interface Question {
  operation: string;
  /** Options beside those of the page, or instead of them. */
  options?: object;
  /** The options of the page do not count. */
  alone?: boolean;
  /** A text of its own, where the one on the screen is not what it is about. */
  text?: string;
  /** What is made of the text on the screen. */
  about?(text: string): string;
}

/** What it needs of the page. */
export interface Page {
  readonly store: Store;
  readonly text: string;
  readonly core: {
    options(): Options;
    answer(
      operation: string,
      text: string,
      options: object,
      signal: AbortSignal,
    ): Promise<object | undefined>;
  };
}

/** The parts of the state on which it depends when a question is asked, and which. */
const parts = ['asked', 'busy', 'typed', 'engine', 'version', 'gates', 'known'] as const;

export class Standing<R> {
  private question: Question | undefined;
  private seen: State;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** What was asked last, answered or not. */
  private last: { text: string; rest: string } | undefined;
  private open: AbortController | undefined;
  private unwatch: (() => void) | undefined;

  /** tell is given each answer; the one before it counts until then. */
  constructor(
    private readonly page: Page,
    private readonly tell: (asked: Asked<R>) => void,
  ) {
    this.seen = page.store.state;
  }

  /** Puts the question, or another one in its place. */
  put(question: Question): void {
    this.question = question;
    this.unwatch ??= this.page.store.watch(() => this.look());
    this.ask();
  }

  /** Nobody waits for an answer any more. */
  end(): void {
    clearTimeout(this.timer);
    this.drop();
    this.unwatch?.();
    this.unwatch = undefined;
  }

  private look(): void {
    const { state } = this.page.store;
    if (!differs(this.seen, state, parts)) return;
    this.seen = state;
    if (!this.ready(state)) return this.drop();
    clearTimeout(this.timer);
    // Not in the task in which an answer arrives: that has enough to draw.
    this.timer = setTimeout(() => this.ask());
  }

  /** The text on the screen is one about which all else has been said. */
  private ready(state: State): boolean {
    if (state.engine.phase === 'loading') return false;
    return !awaited(state) || this.question?.text !== undefined;
  }

  private ask(): void {
    clearTimeout(this.timer);
    const { question, page } = this;
    if (!question || !this.ready(page.store.state)) return;
    const { operation, alone, about } = question;
    const options = { ...(!alone && page.core.options()), ...question.options };
    const text = question.text ?? about?.(page.text) ?? page.text;
    const rest = JSON.stringify([operation, options]);
    if (this.last?.rest === rest && this.last.text === text) return;
    this.drop();
    this.last = { text, rest };
    const open = new AbortController();
    this.open = open;
    void page.core.answer(operation, text, options, open.signal).then((found) => {
      if (this.open !== open) return;
      this.open = undefined;
      // What got no answer is asked again when there is a reason to hope.
      if (!found) this.last = undefined;
      this.tell(found ? read<R>(found) : { none: true });
    });
  }

  /** Gives up what has been asked and not answered. */
  private drop(): void {
    clearTimeout(this.timer);
    if (!this.open) return;
    this.open.abort();
    this.open = undefined;
    this.last = undefined;
  }
}

function read<R>(found: object): Asked<R> {
  if (!('error' in found)) return { result: found as R };
  const { option, message } = (found as Failure).error;
  return { refused: option ? `${option} ${message}` : message };
}
