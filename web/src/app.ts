// Wires the parts together: text in the editor, questions to the core, answers
// into the state, and everything that outlives the page.

import type { Location, Suggestion } from './api';
import { Core } from './core';
import { loadTheme, saveTheme, themes } from './draft';
import { Editor } from './editor/editor';
import { embedded } from './embed';
import { formatGates, parseGates, type GateChoice } from './gates';
import { keepOffline } from './offline';
import { Papers } from './papers';
import { forgetLink, type Shared } from './share';
import { Sharing } from './sharing';
import { initial, type Action, type State, type Tab } from './state';
import { Store } from './store';
import { language, remember, speak, t, type Language } from './texts';
import { steps } from './tour';

const noticeTime = 6000;

/** Below this width the halves take turns. */
const narrowQuery = '(max-width: 839px)';

export class App {
  readonly store = new Store({ ...initial, theme: loadTheme(), language });
  readonly core = new Core({
    store: this.store,
    editor: () => this.editor,
    // Not sooner, so that it does not compete with what is needed now.
    ready: () => {
      if (!embedded) void keepOffline((use) => this.dispatch({ kind: 'update', use }));
    },
    choose: (version, gates) => this.choose(version, gates),
  });
  readonly papers = new Papers(this);
  readonly sharing = new Sharing(this);
  private editor: Editor | undefined;
  private opening = false;
  private hinted = '';

  /** draw shows at once what has changed; else it is shown when there is time. */
  constructor(private readonly draw: () => void) {}

  get state(): State {
    return this.store.state;
  }

  private dispatch(action: Action): void {
    this.store.dispatch(action);
  }

  /** Starts everything, once the page has a place for the editor. */
  async start(host: HTMLElement): Promise<void> {
    this.core.start();
    const narrow = matchMedia(narrowQuery);
    this.dispatch({ kind: 'narrow', narrow: narrow.matches });
    narrow.addEventListener('change', ({ matches }) =>
      this.dispatch({ kind: 'narrow', narrow: matches }),
    );
    const draft = this.papers.last();
    this.editor = new Editor(host, draft.text, {
      changed: () => this.changed(),
      ask: (operation, text, place) => this.core.inquireOf(operation, text, place),
      moved: (line) => this.dispatch({ kind: 'line', line }),
      outdated: () => this.notify('bad', t.notices.outdated),
    });
    this.use(draft.version, parseGates(draft.gates));
    await this.sharing.openLink();
    addEventListener('hashchange', () => void this.sharing.openLink());
    // What was typed a moment ago has not been kept yet.
    addEventListener('pagehide', () => this.papers.keep());
    // What could not be fetched can be, now that there is a network again.
    addEventListener('online', () => {
      const { engine } = this.state;
      if (engine.phase === 'failed' && engine.failure.stage === 'fetch') this.core.retry();
    });
  }

  /** Opens what a link holds. */
  open({ text, version, gates }: Shared): void {
    if (text !== this.text) {
      if (embedded) this.load(text);
      else this.unlinked(() => this.editor?.replace(text));
      if (!embedded) this.notify('good', t.notices.opened);
    }
    this.use(version, parseGates(gates));
  }

  /** Shows another text, whose past is its own. */
  load(text: string): void {
    this.unlinked(() => this.editor?.load(text));
  }

  /** Changes the text without making the link of the page wrong by it. */
  private unlinked(change: () => void): void {
    this.opening = true;
    change();
    this.opening = false;
  }

  get text(): string {
    return this.editor?.doc.toString() ?? '';
  }

  /** The first line, which says what example this is. */
  get headline(): string {
    return this.editor?.doc.line(1).text ?? '';
  }

  /** The text of a line, from 1. */
  lineAt(line: number): string {
    return this.editor?.lineAt(line) ?? '';
  }

  /** The text and the settings, as they are kept and shared. */
  shared(): Shared {
    const { version, gates } = this.state;
    return { text: this.text, version, gates: formatGates(gates) };
  }

  private changed(): void {
    if (!this.opening) forgetLink();
    this.papers.keepSoon();
    this.core.askSoon();
  }

  choose(version: string, gates: GateChoice): void {
    forgetLink();
    this.use(version, gates);
  }

  use(version: string, gates: GateChoice): void {
    this.dispatch({ kind: 'choose', version, gates });
    this.papers.keepSoon();
    this.core.ask();
  }

  /** Makes changes at known places of the text. */
  change(places: readonly { from: number; to: number; insert: string }[]): void {
    this.editor?.change(places);
  }

  /** Puts another text in place of this one; undo brings it back. */
  retext(text: string): void {
    this.editor?.replace(text);
  }

  /** Makes the change that a finding suggests. */
  fix(suggestion: Suggestion): void {
    this.show('text');
    this.editor?.apply(suggestion);
  }

  /** Marks the line of what is pointed at, under a name of its own. */
  hint(name: string, line: number | undefined): void {
    this.hinted = name;
    this.editor?.hint(line);
  }

  /** Takes the mark away, unless something else is pointed at by now. */
  unhint(name: string): void {
    if (this.hinted === name) this.editor?.hint(undefined);
  }

  focus(): void {
    this.editor?.focus();
  }

  focusText(): void {
    this.show('text');
    this.focus();
  }

  goTo(location: Location): void {
    this.show('text');
    this.editor?.show(location);
  }

  goToLine(line: number): void {
    this.show('text');
    this.editor?.showLine(line);
  }

  /** Goes to the next finding, or the one before. */
  step(direction: 1 | -1): void {
    this.show('text');
    this.editor?.step(direction);
  }

  show(tab: Tab | 'text'): void {
    this.dispatch({ kind: 'tab', tab });
    // At once: what is hidden cannot have the focus.
    if (this.state.narrow) this.draw();
    if (tab === 'why') this.core.selectFirst();
  }

  filter(filter: string): void {
    this.dispatch({ kind: 'filter', filter });
  }

  palette(open: boolean): void {
    this.dispatch({ kind: 'palette', open });
    // At once: what is typed next must not go into the text.
    this.draw();
  }

  /** Goes to a step of the tour; undefined ends it. */
  tour(step: number | undefined): void {
    if (step !== undefined) steps[step]?.enter(this);
    this.dispatch({ kind: 'tour', step });
  }

  speak(language: Language): void {
    speak(language);
    remember(language);
    this.dispatch({ kind: 'language', language });
  }

  cycleTheme(): void {
    const theme = themes[(themes.indexOf(this.state.theme) + 1) % themes.length]!;
    saveTheme(theme);
    this.dispatch({ kind: 'theme', theme });
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
