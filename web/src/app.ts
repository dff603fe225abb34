// Wires the parts together: text in the editor, questions to the engine,
// answers into the state, and everything that outlives the page.

import type { Text } from '@codemirror/state';
import type {
  Counterfactual,
  Diagnostic,
  Failure,
  FixesResult,
  Location,
  Options,
  Suggestion,
  ValidateResult,
  VersionsResult,
} from './api';
import { Desk } from './buffers';
import { loadTheme, saveTheme, storage, themes } from './draft';
import { Editor } from './editor/editor';
import { embedded } from './embed';
import { Assistant } from './engine/assistant';
import { Engine, type Port } from './engine/engine';
import type { Loaded } from './engine/protocol';
import { opening, type Example } from './examples';
import { download, FilesError, join, type Found } from './files';
import { keepOffline } from './offline';
import { formatGates, parseGates, type GateChoice } from './gates';
import { closerOperations, longText, optionsOf, specialOf } from './questions';
import { decodeShare, encodeShare, type Shared } from './share';
import { optionsOfFix, withFixes } from './fix';
import { firstPending } from './selection';
import {
  initial,
  reduce,
  sameSelected,
  type Action,
  type Answer,
  type Selected,
  type State,
  type Tab,
} from './state';
import { remember, speak, t, type Language } from './texts';
import { steps } from './tour';

/**
 * How long typing has to pause before the core is asked, in milliseconds: as
 * long as its last answer took, so that short texts are marked at once and long
 * ones are not asked about letter by letter.
 */
const pause = { least: 20, most: 150 };
const noticeTime = 6000;

/** Below this width the halves take turns. */
const narrowQuery = '(max-width: 839px)';

export class App {
  state: State = { ...initial, theme: loadTheme() };
  private editor: Editor | undefined;
  private readonly engine: Engine;
  /** Answers what is asked beside the question about the text. */
  private readonly assistant = new Assistant(createWorker, () => this.engine.compiled);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private aboutKnown = false;
  private opening = false;
  private version = '';
  /** The texts that are kept between visits. */
  readonly desk = new Desk(embedded ? undefined : storage(), () => t.files.untitled);
  private full = false;
  /** The text that the answers on the screen are for. */
  private answered: Text | undefined;

  constructor(private readonly render: (app: App) => void) {
    this.engine = new Engine(createWorker, {
      progress: (received, total) => this.dispatch({ kind: 'progress', received, total }),
      ready: (loaded) => this.ready(loaded),
      failed: (failure) => this.dispatch({ kind: 'failed', failure }),
      working: (working) => this.dispatch({ kind: 'working', working }),
      abandoned: (seconds) => this.dispatch({ kind: 'abandoned', seconds }),
    });
  }

  private ready(loaded: Loaded | undefined): void {
    this.dispatch({ kind: 'ready', loaded });
    // Not sooner, so that it does not compete with what is needed now.
    if (!embedded) void keepOffline((use) => this.dispatch({ kind: 'update', use }));
  }

  private dispatch(action: Action): void {
    this.state = reduce(this.state, action);
    this.render(this);
  }

  /** Starts everything, once the page has a place for the editor. */
  async start(host: HTMLElement): Promise<void> {
    this.engine.start();
    const narrow = matchMedia(narrowQuery);
    this.dispatch({ kind: 'narrow', narrow: narrow.matches });
    narrow.addEventListener('change', ({ matches }) =>
      this.dispatch({ kind: 'narrow', narrow: matches }),
    );
    const first = opening;
    const draft = this.desk.load() ?? {
      text: first.text,
      version: '',
      gates: formatGates(first.gates),
    };
    this.editor = new Editor(host, draft.text, {
      changed: () => this.changed(),
      ask: (operation, text, place) => this.inquireOf(operation, text, place),
      moved: (line) => this.dispatch({ kind: 'line', line }),
      outdated: () => this.notify('bad', t.notices.outdated),
    });
    this.use(draft.version, parseGates(draft.gates));
    await this.openLink();
    addEventListener('hashchange', () => void this.openLink());
    // What was typed a moment ago has not been kept yet.
    addEventListener('pagehide', () => this.keep(this.text));
    // What could not be fetched can be, now that there is a network again.
    addEventListener('online', () => {
      const { engine } = this.state;
      if (engine.phase === 'failed' && engine.failure.stage === 'fetch') this.retry();
    });
  }

  /** Opens the text of the page's own fragment, if it holds one. */
  private async openLink(): Promise<void> {
    try {
      const shared = await decodeShare(location.hash);
      if (shared) this.open(shared);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.notify('bad', t.notices.badLink(why));
    }
  }

  private open({ text, version, gates }: Shared): void {
    if (text !== this.text) {
      this.opening = true;
      if (embedded) this.editor?.load(text);
      else this.editor?.replace(text);
      this.opening = false;
      if (!embedded) this.notify('good', t.notices.opened);
    }
    this.use(version, parseGates(gates));
  }

  get text(): string {
    return this.editor?.doc.toString() ?? '';
  }

  private changed(): void {
    if (!this.opening) forgetLink();
    clearTimeout(this.timer);
    const took = this.state.validate?.ms ?? pause.most;
    this.timer = setTimeout(() => this.ask(), Math.min(pause.most, Math.max(pause.least, took)));
  }

  private ask(): void {
    clearTimeout(this.timer);
    const { editor } = this;
    if (!editor) return;
    const { doc } = editor;
    const text = doc.toString();
    this.keep(text);
    // The core fell over a text, which may be another one now.
    const { engine } = this.state;
    if (engine.phase === 'failed' && engine.failure.stage === 'run') this.restart();
    this.dispatch({ kind: 'asked' });
    this.engine.ask({
      text,
      options: this.options(),
      operations: [
        ...(this.aboutKnown ? [] : ['version', 'versions']),
        'validate',
        'allocate',
        ...closerOperations(this.state),
      ],
      special: specialOf(this.state, text),
      answered: (operation, raw, ms) => this.receive(doc, operation, raw, ms),
    });
  }

  /** Asks more about what has been answered already. */
  private askCloser(): void {
    const { editor } = this;
    const operations = closerOperations(this.state);
    if (!editor || operations.length === 0) return;
    if (this.state.busy || !this.answered?.eq(editor.doc)) {
      if (this.state.busy) this.ask();
      return; // else the question about the new text is about to be asked
    }
    const { doc } = editor;
    const text = doc.toString();
    this.engine.ask({
      text,
      options: this.options(),
      operations,
      special: specialOf(this.state, text),
      answered: (operation, raw, ms) => this.receive(doc, operation, raw, ms),
    });
  }

  private receive(doc: Text, operation: string, raw: string, ms: number): void {
    const result = JSON.parse(raw) as object;
    const failed = 'error' in result;
    if (failed && (operation === 'validate' || operation === 'allocate')) {
      this.dispatch({ kind: 'refused', refusal: (result as Failure).error });
      this.editor?.mark(doc, []);
      return;
    }
    this.received(operation, failed ? undefined : result, raw, ms);
    if (operation === 'validate') {
      this.editor?.mark(doc, (result as { diagnostics?: Diagnostic[] }).diagnostics ?? []);
    }
    if (operation === 'allocate') {
      this.answered = doc;
      // Only now, so that the second core does not start beside the first answer.
      if (this.state.validate) void this.offerFixes(doc, this.state.validate);
    }
  }

  /** Asks the core something about the text; undefined if there is no answer. */
  inquire(operation: string, options: object): Promise<unknown> {
    return this.inquireOf(operation, this.text, options);
  }

  private async inquireOf(operation: string, text: string, options: object): Promise<unknown> {
    const raw = await this.assistant.ask(operation, text, { ...this.options(), ...options });
    const result = raw === undefined ? undefined : (JSON.parse(raw) as object);
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
    this.dispatch({
      kind: 'validated',
      answer: { ...answer, result: { ...answer.result, diagnostics: mended } },
    });
    this.editor?.mark(doc, mended);
  }

  private received(operation: string, result: object | undefined, raw: string, ms: number): void {
    const answer = { result: result as never, raw, ms };
    switch (operation) {
      case 'validate':
        return this.dispatch({ kind: 'validated', answer });
      case 'allocate':
        this.dispatch({ kind: 'allocated', answer });
        if (this.state.tab === 'why' && !this.state.selected) this.selectFirst();
        return;
      case 'explain':
        return this.dispatch({ kind: 'explained', explain: result as never });
      case 'capacity':
        this.dispatch({ kind: 'counted', capacity: result as never });
        return this.dispatch({ kind: 'done' });
      case 'diff':
        return this.dispatch({ kind: 'compared', diff: result as never });
      case 'version':
        this.version = (result as { version?: string } | undefined)?.version ?? '';
        return;
      case 'versions': {
        this.aboutKnown = true;
        const known = result as unknown as VersionsResult;
        const before = JSON.stringify(this.options());
        this.dispatch({ kind: 'about', coreVersion: this.version, known });
        // Only now it is known which of the chosen gates the version has.
        if (JSON.stringify(this.options()) !== before) this.ask();
        return;
      }
    }
  }

  /** Looks closely at a pod or claim, or at none. */
  select(selected: Selected | undefined): void {
    if (sameSelected(selected, this.state.selected)) return;
    this.dispatch({ kind: 'select', selected });
    this.askCloser();
  }

  private selectFirst(): void {
    const first = this.state.allocate && firstPending(this.state.allocate.result);
    if (first) this.select(first);
  }

  /** Makes the change with which something would fit, and compares from here on. */
  applyFix(fix: Counterfactual): void {
    const { editor } = this;
    if (!editor || !this.answered) return;
    const { version, gates } = this.state;
    const before = editor.doc.toString();
    const edits = fix.steps.flatMap((step) => step.edits ?? []);
    const options = optionsOfFix(fix, { version, gates });
    if (edits.length > 0) {
      if (!editor.edit(this.answered, edits)) return;
    }
    this.compareWith({ text: before, version, gates, change: fix.message });
    if (options) this.choose(options.version, options.gates);
    else this.ask();
  }

  /** Compares later answers with a state, or with none. */
  compareWith(baseline: State['baseline']): void {
    this.dispatch({ kind: 'baseline', baseline });
  }

  /** Takes back what was changed since the comparison began. */
  backToBaseline(): void {
    const { baseline } = this.state;
    if (!baseline) return;
    this.compareWith(undefined);
    if (baseline.text !== this.text) this.editor?.replace(baseline.text);
    this.choose(baseline.version, baseline.gates);
  }

  /** Marks the line of what is pointed at. */
  hint(line: number | undefined): void {
    this.editor?.hint(line);
  }

  /** The text of a line, from 1. */
  lineAt(line: number): string {
    return this.editor?.lineAt(line) ?? '';
  }

  filter(filter: string): void {
    this.dispatch({ kind: 'filter', filter });
  }

  palette(open: boolean): void {
    this.dispatch({ kind: 'palette', open });
  }

  /** The options that the core is asked with. */
  options(): Options {
    return optionsOf(this.state);
  }

  private shared(text: string): Shared {
    return { text, version: this.state.version, gates: formatGates(this.state.gates) };
  }

  choose(version: string, gates: GateChoice): void {
    forgetLink();
    this.use(version, gates);
  }

  private use(version: string, gates: GateChoice): void {
    this.dispatch({ kind: 'choose', version, gates });
    this.ask();
  }

  /** Keeps the text; says once if there is no room for it. */
  private keep(text: string): void {
    const full = !this.desk.save(this.shared(text));
    if (full && !this.full) this.notify('bad', t.files.full);
    this.full = full;
  }

  /** Shows the text that is the current one by now. */
  private turn(): void {
    forgetLink();
    const { text, version, gates } = this.desk.load() ?? { text: '', version: '', gates: '' };
    this.opening = true;
    this.editor?.load(text);
    this.opening = false;
    this.use(version, parseGates(gates));
  }

  chooseText(id: string): void {
    this.keep(this.text);
    this.desk.choose(id);
    this.turn();
  }

  /** Opens a text beside those that are there. */
  addText(name: string, text: string): void {
    this.keep(this.text);
    this.desk.add(name, this.shared(text));
    this.turn();
    this.focusText();
  }

  renameText(name: string): void {
    this.desk.rename(name);
    this.render(this);
  }

  removeText(): void {
    const { list, current } = this.desk.buffers;
    const { name } = list.find(({ id }) => id === current)!;
    if (this.text.trim() && !confirm(t.files.sure(name))) return;
    this.desk.remove();
    this.turn();
    this.notify('good', t.files.removed(name));
  }

  /** Makes one text of files; get may take its time to find them. */
  async openFiles(get: () => Promise<readonly Found[]>): Promise<void> {
    try {
      const opened = await join(await get());
      this.addText(opened.name, opened.text);
      this.notify('good', t.files.opened(opened.files));
    } catch (error) {
      if (!(error instanceof FilesError)) throw error;
      this.notify('bad', error.message);
    }
  }

  saveFile(): void {
    const { list, current } = this.desk.buffers;
    const { name } = list.find(({ id }) => id === current)!;
    download(/\.[a-z0-9]+$/i.test(name) ? name : `${name}.yaml`, this.text);
  }

  openExample(example: Example): void {
    this.compareWith(undefined);
    this.select(undefined);
    this.editor?.replace(example.text);
    this.choose(example.version, example.gates);
    this.editor?.focus();
  }

  /** The first line, which says what example this is. */
  get headline(): string {
    return this.editor?.doc.line(1).text ?? '';
  }

  /** Makes changes at known places of the text. */
  change(places: readonly { from: number; to: number; insert: string }[]): void {
    this.editor?.change(places);
  }

  /** Puts another text in place of this one; undo brings it back. */
  retext(text: string): void {
    this.editor?.replace(text);
  }

  /** Goes to a step of the tour; undefined ends it. */
  tour(step: number | undefined): void {
    if (step !== undefined) steps[step]?.enter(this);
    this.dispatch({ kind: 'tour', step });
  }

  /** Opens what is in the embedded page in a window of its own. */
  async openWhole(): Promise<void> {
    const fragment = await encodeShare(this.shared(this.text));
    open(`${location.pathname}#${fragment}`, '_blank', 'noopener');
  }

  async share(): Promise<void> {
    try {
      const fragment = await encodeShare(this.shared(this.text));
      history.replaceState(null, '', '#' + fragment);
      try {
        await navigator.clipboard.writeText(location.href);
      } catch {
        this.notify('good', t.notices.inBar);
        return;
      }
      const length = location.href.length;
      const long = length > 8000 ? t.notices.long(length) : '';
      this.notify('good', t.notices.copiedLink + long);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.notify('bad', t.notices.noLink(why));
    }
  }

  async copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.notify('good', t.notices.copied);
    } catch {
      this.notify('bad', t.notices.notCopied);
    }
  }

  speak(language: Language): void {
    speak(language);
    remember(language);
    this.render(this);
  }

  cycleTheme(): void {
    const theme = themes[(themes.indexOf(this.state.theme) + 1) % themes.length]!;
    saveTheme(theme);
    this.dispatch({ kind: 'theme', theme });
  }

  show(tab: Tab | 'text'): void {
    this.dispatch({ kind: 'tab', tab });
    if (tab === 'why' && !this.state.selected) this.selectFirst();
  }

  goTo(location: Location): void {
    this.show('text');
    this.editor?.show(location);
  }

  goToLine(line: number): void {
    this.show('text');
    this.editor?.showLine(line);
  }

  fix(suggestion: Suggestion): void {
    this.show('text');
    this.editor?.apply(suggestion);
  }

  focusText(): void {
    this.show('text');
    this.editor?.focus();
  }

  step(direction: 1 | -1): void {
    this.show('text');
    this.editor?.step(direction);
  }

  abandon(): void {
    this.engine.abandon();
  }

  restart(): void {
    this.dispatch({ kind: 'restart' });
    this.engine.start();
  }

  retry(): void {
    this.restart();
    this.ask();
  }

  notify(tone: 'good' | 'bad', text: string): void {
    this.dispatch({ kind: 'notice', tone, text });
    const id = this.state.notice!.id;
    setTimeout(() => this.dispatch({ kind: 'unnotice', id }), noticeTime);
  }

  dismiss(): void {
    if (this.state.notice) this.dispatch({ kind: 'unnotice', id: this.state.notice.id });
  }
}

/** A link describes the text it came with, not what is typed later. */
function forgetLink(): void {
  if (location.hash) history.replaceState(null, '', location.pathname + location.search);
}

function createWorker(): Port {
  return new Worker(new URL('./engine/worker.ts', import.meta.url), { type: 'module' });
}
