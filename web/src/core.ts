// What the page asks the core, and what becomes of the answers.

import type { Text } from '@codemirror/state';
import type {
  Counterfactual,
  Failure,
  FixesResult,
  Options,
  ValidateResult,
  VersionsResult,
} from './api';
import type { Editor } from './editor/editor';
import { Assistant } from './engine/assistant';
import { Engine, type Answered, type Port } from './engine/engine';
import type { Loaded } from './engine/protocol';
import { optionsOfFix, withFixes } from './fix';
import type { GateChoice } from './gates';
import { closerOperations, longText, optionsOf, specialOf } from './questions';
import { firstPending } from './selection';
import { sameSelected, type Answer, type Selected, type State } from './state';
import type { Store } from './store';

/** What the core has to know of the rest of the page. */
interface Surroundings {
  store: Store;
  editor(): Editor | undefined;
  /** The core can be asked. */
  ready(): void;
  choose(version: string, gates: GateChoice): void;
}

/**
 * How long typing has to pause before the core is asked, in milliseconds: as
 * long as its last answer took, so that short texts are marked at once and long
 * ones are not asked about letter by letter.
 */
const pause = { least: 20, most: 150 };

export class Core {
  private readonly engine: Engine;
  /** Answers what is asked beside the question about the text. */
  private readonly assistant = new Assistant(createWorker, () => this.engine.compiled);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private aboutKnown = false;
  private version = '';
  /** The text that the answers on the screen are for. */
  private answered: Text | undefined;
  /** The text that the changes are for with which something would fit. */
  private explained: Text | undefined;

  constructor(private readonly page: Surroundings) {
    const { store } = page;
    this.engine = new Engine(createWorker, {
      progress: (received, total) => store.dispatch({ kind: 'progress', received, total }),
      ready: (loaded) => this.ready(loaded),
      failed: (failure) => store.dispatch({ kind: 'failed', failure }),
      began: (operation) => store.dispatch({ kind: 'began', operation, at: performance.now() }),
      working: (working) => store.dispatch({ kind: 'working', working }),
      abandoned: (seconds) => store.dispatch({ kind: 'abandoned', seconds }),
    });
  }

  private get state(): State {
    return this.page.store.state;
  }

  private ready(loaded: Loaded | undefined): void {
    this.page.store.dispatch({ kind: 'ready', loaded });
    this.page.ready();
  }

  start(): void {
    this.engine.start();
  }

  /** The options that the core is asked with. */
  options(): Options {
    return optionsOf(this.state);
  }

  /** Asks when typing pauses. */
  askSoon(): void {
    clearTimeout(this.timer);
    this.page.store.dispatch({ kind: 'typed' });
    const took = this.state.validate?.ms ?? pause.most;
    this.timer = setTimeout(() => this.ask(), Math.min(pause.most, Math.max(pause.least, took)));
  }

  ask(): void {
    clearTimeout(this.timer);
    // The core fell over a text, which may be another one now.
    const { engine } = this.state;
    if (engine.phase === 'failed' && engine.failure.stage === 'run') this.restart();
    this.page.store.dispatch({ kind: 'asked' });
    this.put([
      ...(this.aboutKnown ? [] : ['version', 'versions']),
      'validate',
      'allocate',
      ...closerOperations(this.state),
    ]);
  }

  /** Asks more about what has been answered already. */
  private askCloser(): void {
    const editor = this.page.editor();
    const operations = closerOperations(this.state);
    if (!editor || operations.length === 0) return;
    if (this.state.busy || !this.answered?.eq(editor.doc)) {
      if (this.state.busy) this.ask();
      return; // else the question about the new text is about to be asked
    }
    this.put(operations);
  }

  private put(operations: string[]): void {
    const doc = this.page.editor()?.doc;
    if (!doc) return;
    const text = doc.toString();
    this.engine.ask({
      text,
      options: this.options(),
      operations,
      special: specialOf(this.state, text),
      answered: (operation, answered) => this.receive(doc, operation, answered),
    });
  }

  private receive(doc: Text, operation: string, { result, raw, ms }: Answered): void {
    const editor = this.page.editor();
    const failed = 'error' in result;
    if (failed && (operation === 'validate' || operation === 'allocate')) {
      this.page.store.dispatch({ kind: 'refused', refusal: (result as Failure).error });
      editor?.mark(doc, []);
      return;
    }
    this.received(operation, { result: (failed ? undefined : result) as never, raw, ms });
    if (operation === 'explain') this.explained = doc;
    if (operation === 'validate') editor?.mark(doc, (result as ValidateResult).diagnostics ?? []);
    if (operation === 'allocate') {
      this.answered = doc;
      // Only now, so that the second core does not start beside the first answer.
      if (this.state.validate) void this.offerFixes(doc, this.state.validate);
    }
  }

  private received(operation: string, answer: Answer<never>): void {
    const { store } = this.page;
    const { result } = answer;
    switch (operation) {
      case 'validate':
        return store.dispatch({ kind: 'validated', answer });
      case 'allocate':
        store.dispatch({ kind: 'allocated', answer });
        if (this.state.tab === 'why') this.selectFirst();
        return;
      case 'explain':
        store.dispatch({ kind: 'explained', explain: result });
        return store.dispatch({ kind: 'done' });
      case 'capacity':
        store.dispatch({ kind: 'counted', capacity: result });
        return store.dispatch({ kind: 'done' });
      case 'diff':
        store.dispatch({ kind: 'compared', diff: result });
        return store.dispatch({ kind: 'done' });
      case 'version':
        this.version = (result as { version?: string } | undefined)?.version ?? '';
        return;
      case 'versions': {
        this.aboutKnown = true;
        const before = JSON.stringify(this.options());
        const known: VersionsResult = result;
        store.dispatch({ kind: 'about', coreVersion: this.version, known });
        // Only now it is known which of the chosen gates the version has.
        if (JSON.stringify(this.options()) !== before) this.ask();
        return;
      }
    }
  }

  /**
   * Asks something with just these options; the answer may be why there is none.
   * With a signal the question is given up by it, and by nothing else.
   */
  answer(
    operation: string,
    text: string,
    options: object,
    signal?: AbortSignal,
  ): Promise<object | undefined> {
    return this.assistant.ask(operation, text, options, signal);
  }

  /** Asks something about a text; undefined if there is no answer. */
  async inquireOf(operation: string, text: string, options: object): Promise<unknown> {
    const result = await this.answer(operation, text, { ...this.options(), ...options });
    return result && !('error' in result) ? result : undefined;
  }

  /** Adds to findings without a suggestion the changes that mend them, once they were tried. */
  private async offerFixes(doc: Text, answer: Answer<ValidateResult>): Promise<void> {
    const { diagnostics } = answer.result;
    if (diagnostics.every(({ suggestion }) => suggestion?.location)) return;
    if (doc.length > longText) return;
    const found = (await this.inquireOf('fixes', doc.toString(), {})) as FixesResult | undefined;
    if (!found?.fixes.length || this.state.validate !== answer) return;
    const mended = withFixes(diagnostics, found);
    this.page.store.dispatch({
      kind: 'validated',
      answer: { ...answer, result: { ...answer.result, diagnostics: mended } },
    });
    this.page.editor()?.mark(doc, mended);
  }

  /** Looks closely at a pod or claim, or at none. */
  select(selected: Selected | undefined): void {
    if (sameSelected(selected, this.state.selected)) return;
    this.page.store.dispatch({ kind: 'select', selected });
    this.askCloser();
  }

  /** Looks closely at what does not fit, unless something is looked at already. */
  selectFirst(): void {
    const { allocate, selected } = this.state;
    const first = allocate && !selected && firstPending(allocate.result);
    if (first) this.select(first);
  }

  /** Makes the change with which something would fit, and compares from here on. */
  applyFix(fix: Counterfactual): void {
    const editor = this.page.editor();
    if (!editor || !this.explained) return;
    const { version, gates } = this.state;
    const before = editor.doc.toString();
    const edits = fix.steps.flatMap((step) => step.edits ?? []);
    const options = optionsOfFix(fix, { version, gates });
    if (edits.length > 0 && !editor.edit(this.explained, edits)) return;
    this.compareWith({ text: before, version, gates, change: fix.message });
    if (options) this.page.choose(options.version, options.gates);
    else this.ask();
  }

  /** Compares later answers with a state, or with none. */
  compareWith(baseline: State['baseline']): void {
    this.page.store.dispatch({ kind: 'baseline', baseline });
  }

  /** Takes back what was changed since the comparison began. */
  backToBaseline(): void {
    const { baseline } = this.state;
    const editor = this.page.editor();
    if (!baseline || !editor) return;
    this.compareWith(undefined);
    if (baseline.text !== editor.doc.toString()) editor.replace(baseline.text);
    this.page.choose(baseline.version, baseline.gates);
  }

  /** Gives up the question that is open. */
  abandon(): void {
    this.engine.abandon();
  }

  private restart(): void {
    this.page.store.dispatch({ kind: 'restart' });
    this.engine.start();
  }

  retry(): void {
    this.restart();
    this.ask();
  }
}

function createWorker(): Port {
  return new Worker(new URL('./engine/worker.ts', import.meta.url), { type: 'module' });
}
