// The editor: CodeMirror in a shadow tree of its own. There its style sheet is
// adopted instead of inserted, so that the page needs no inline styles.

import './patience';
import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab, undo } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language';
import {
  lintGutter,
  lintKeymap,
  nextDiagnostic,
  previousDiagnostic,
  setDiagnostics,
  type Diagnostic as Mark,
} from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Text } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { ruleLink } from '../answers';
import type { Diagnostic, Location, Suggestion, TextEdit } from '../api';
import { t } from '../texts';
import { rangeOf } from '../position';
import { completions, help, type Ask } from './assist';
import { cel } from './cel';
import { hint, setHint } from './hint';
import { theme } from './theme';

export interface EditorEvents {
  changed(): void;
  /** The cursor is on another line now. */
  moved(line: number): void;
  /** A fix was asked for, of a text that is no longer there. */
  outdated(): void;
  /** Something is to be known about a place of the text. */
  ask: Ask;
}

export class Editor {
  private readonly view: EditorView;
  /** The text that the marks and suggestions belong to. */
  private answered: Text | undefined;
  /** What can be undone. */
  private readonly past = new Compartment();

  constructor(
    host: HTMLElement,
    text: string,
    private readonly events: EditorEvents,
  ) {
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    this.view = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          lintGutter(),
          this.past.of(history()),
          drawSelection(),
          EditorView.lineWrapping,
          indentOnInput(),
          indentUnit.of('  '),
          bracketMatching(),
          closeBrackets(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          highlightSelectionMatches(),
          search({ top: false }),
          autocompletion({ override: [completions(events.ask)], icons: false, closeOnBlur: true }),
          help(events.ask),
          yaml(),
          cel,
          hint,
          theme,
          keymap.of([
            { key: 'Shift-F8', run: previousDiagnostic },
            ...lintKeymap,
            ...completionKeymap,
            ...searchKeymap,
            ...historyKeymap,
            ...foldKeymap,
            ...defaultKeymap,
            indentWithTab,
          ]),
          EditorView.contentAttributes.of(() => ({
            tabindex: '0',
            'aria-label': t.frame.editor,
          })),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) this.events.changed();
            if (update.selectionSet || update.docChanged) this.moved();
          }),
        ],
      }),
    });
  }

  private line = 0;

  private moved(): void {
    const { number } = this.doc.lineAt(this.view.state.selection.main.head);
    if (number === this.line) return;
    this.line = number;
    this.events.moved(number);
  }

  /** The text of a line, from 1; empty beyond the end. */
  lineAt(line: number): string {
    return line >= 1 && line <= this.doc.lines ? this.doc.line(line).text : '';
  }

  /** Marks a line without moving there; undefined takes the mark away. */
  hint(line: number | undefined): void {
    const known = line !== undefined && line >= 1 && line <= this.doc.lines;
    this.view.dispatch({ effects: setHint.of(known ? this.doc.line(line).from : undefined) });
  }

  /** Makes several changes of a text as one, if that text is still there. */
  edit(doc: Text, edits: readonly TextEdit[]): boolean {
    if (!doc.eq(this.doc)) {
      this.events.outdated();
      return false;
    }
    const changes = edits.flatMap(({ location, replacement }) =>
      location ? [{ ...rangeOf(doc, location), insert: replacement }] : [],
    );
    const from = Math.min(...changes.map((change) => change.from));
    this.view.dispatch({
      changes,
      effects: Number.isFinite(from) ? EditorView.scrollIntoView(from, { y: 'center' }) : [],
      userEvent: 'input.fix',
    });
    return true;
  }

  undo(): void {
    undo(this.view);
  }

  get doc(): Text {
    return this.view.state.doc;
  }

  /** Replaces the whole text; undo brings the old one back. */
  replace(text: string): void {
    this.view.dispatch({
      changes: { from: 0, to: this.doc.length, insert: text },
      selection: { anchor: 0 },
      effects: EditorView.scrollIntoView(0),
    });
  }

  /** Shows another text, whose past is its own. */
  load(text: string): void {
    this.view.dispatch({ effects: this.past.reconfigure([]) });
    this.replace(text);
    this.view.dispatch({ effects: this.past.reconfigure(history()) });
  }

  /** Makes changes at known places of the text as it is, as one step. */
  change(places: readonly { from: number; to: number; insert: string }[]): void {
    this.view.dispatch({
      changes: places,
      effects: EditorView.scrollIntoView(places[0]?.from ?? 0, { y: 'center' }),
      userEvent: 'input.fix',
    });
  }

  /** Marks findings at their places, if the text they speak of is still there. */
  mark(doc: Text, findings: readonly Diagnostic[]): void {
    if (!doc.eq(this.doc)) return;
    this.answered = doc;
    const marks = findings.flatMap((finding) => {
      return finding.location ? [this.markOf(doc, finding, finding.location)] : [];
    });
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }

  private markOf(doc: Text, finding: Diagnostic, location: Location): Mark {
    const { suggestion } = finding;
    return {
      ...rangeOf(doc, location),
      severity: finding.severity,
      message: finding.message,
      renderMessage: () => messageElement(finding),
      actions: suggestion?.location
        ? [{ name: suggestion.message, apply: () => this.apply(suggestion) }]
        : [],
    };
  }

  /** Makes the change that a suggestion offers. */
  apply({ location, replacement = '' }: Suggestion): void {
    if (!location) return;
    if (!this.answered?.eq(this.doc)) {
      this.events.outdated();
      return;
    }
    const { from, to } = rangeOf(this.doc, location);
    this.view.dispatch({
      changes: { from, to, insert: replacement },
      selection: { anchor: from + replacement.length },
      scrollIntoView: true,
      userEvent: 'input.fix',
    });
    this.focus();
  }

  /** Selects a place and moves there. */
  show(location: Location): void {
    const { from, to } = rangeOf(this.doc, location);
    this.view.dispatch({
      selection: { anchor: from, head: to },
      effects: EditorView.scrollIntoView(from, { y: 'center' }),
    });
    this.focus();
  }

  showLine(line: number): void {
    const length = line <= this.doc.lines ? this.doc.line(line).length : 0;
    this.show({ document: 0, line, column: 1, endLine: line, endColumn: length + 1 });
  }

  focus(): void {
    this.view.focus();
  }

  /** Walks through the findings, from the cursor on. */
  step(direction: 1 | -1): void {
    this.focus();
    (direction > 0 ? nextDiagnostic : previousDiagnostic)(this.view);
  }
}

function messageElement(finding: Diagnostic): HTMLElement {
  const message = document.createElement('span');
  message.textContent = finding.message;
  const rule = document.createElement('a');
  rule.className = 'cm-rule';
  rule.href = ruleLink(finding);
  rule.target = '_blank';
  rule.textContent = `${finding.source}/${finding.rule}`;
  const both = document.createElement('span');
  both.append(message, rule);
  return both;
}
