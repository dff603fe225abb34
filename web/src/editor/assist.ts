// What helps the person who writes: completion, explanations and definitions.
// All of it is the core's knowledge; here it only finds its place.

import {
  pickedCompletion,
  startCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { StateEffect, StateField, type Extension, type Text } from '@codemirror/state';
import {
  EditorView,
  hoverTooltip,
  keymap,
  showTooltip,
  type Tooltip,
  type TooltipView,
} from '@codemirror/view';
import type { Completed, CompletionItem, Hover, Location, Places } from '../api';
import { placeOf, rangeOf } from '../position';

/** Asks the core about a place of a text; undefined if there is no answer. */
export type Ask = (operation: string, text: string, place: object) => Promise<unknown>;

/** What may be written next, as CodeMirror wants it. */
export function completions(ask: Ask) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const { doc } = context.state;
    const line = doc.lineAt(context.pos);
    const before = line.text.slice(0, context.pos - line.from);
    // An empty line means nothing yet; whoever wants to choose asks.
    if (!context.explicit && /^[\s-]*$/.test(before)) return null;
    const found = (await ask('complete', doc.toString(), placeOf(doc, context.pos))) as
      Completed | undefined;
    if (!found?.location || context.aborted) return null;
    const { from, to } = rangeOf(doc, found.location);
    // What is written in full is not in question: Enter is a line break then.
    const typed = doc.sliceString(from, context.pos);
    if (!context.explicit && found.items.some(({ label }) => label === typed)) return null;
    // CodeMirror would filter by all of the range, and what is behind the cursor
    // goes: it is chosen here.
    return { from, to, options: matching(found.items, typed).map(option), filter: false };
  };
}

/** The items that hold what is typed, those that begin with it first. */
export function matching(items: readonly CompletionItem[], typed: string): CompletionItem[] {
  const wanted = typed.toLowerCase();
  const place = ({ label }: CompletionItem) => label.toLowerCase().indexOf(wanted);
  const held = items.filter((item) => place(item) >= 0);
  return [...held.filter((item) => place(item) === 0), ...held.filter((item) => place(item) > 0)];
}

const types: Record<CompletionItem['kind'], string> = {
  field: 'property',
  value: 'enum',
  name: 'variable',
  attribute: 'property',
  function: 'function',
  item: 'text',
  object: 'class',
};

function option(item: CompletionItem): Completion {
  return {
    label: item.label,
    type: types[item.kind],
    ...(item.detail && { detail: item.detail }),
    ...(item.text && { info: item.text }),
    apply: (view, completion, from, to) => {
      view.dispatch({
        changes: { from, to, insert: item.insert },
        selection: { anchor: from + units(item.insert, item.cursor) },
        scrollIntoView: true,
        userEvent: 'input.complete',
        annotations: pickedCompletion.of(completion),
      });
      // A field whose value is one of a few, or a domain with its names.
      if (/[:.] ?$/.test(item.insert) && !item.cursor) startCompletion(view);
    },
  };
}

/** The UTF-16 units of the first code points of a text; all of it without a number. */
function units(text: string, codePoints: number | undefined): number {
  if (codePoints === undefined) return text.length;
  return [...text].slice(0, codePoints).join('').length;
}

function explained(hover: Hover): TooltipView {
  const dom = document.createElement('div');
  dom.className = 'cm-explained';
  const add = (parent: HTMLElement, tag: string, text = '', className = ''): HTMLElement => {
    const element = document.createElement(tag);
    element.textContent = text;
    if (className) element.className = className;
    parent.append(element);
    return element;
  };
  add(dom, 'code', hover.title, 'cm-explained-title');
  if (hover.text) add(dom, 'p', hover.text);
  if (hover.facts.length > 0) {
    const list = add(dom, 'dl');
    for (const { name, value } of hover.facts) {
      add(list, 'dt', name);
      add(list, 'dd', value);
    }
  }
  if (hover.rules.length > 0) {
    const rules = add(dom, 'p', 'Rules: ', 'cm-explained-rules');
    hover.rules.forEach(({ rule, url }, index) => {
      if (index > 0) rules.append(', ');
      const link = add(rules, 'a', rule) as HTMLAnchorElement;
      link.href = url.replace(/^\//, '');
      link.target = '_blank';
    });
  }
  return { dom };
}

async function explanation(ask: Ask, doc: Text, pos: number): Promise<Tooltip | null> {
  const hover = (await ask('hover', doc.toString(), placeOf(doc, pos))) as Hover | undefined;
  if (!hover?.location || (!hover.text && hover.facts.length === 0)) return null;
  const { from, to } = rangeOf(doc, hover.location);
  return { pos: from, end: to, create: () => explained(hover) };
}

const setExplanation = StateEffect.define<Tooltip | null>();

/** The explanation that was asked for by a key; it goes with the next move. */
const keyed = StateField.define<Tooltip | null>({
  create: () => null,
  update(tooltip, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setExplanation)) return effect.value;
    }
    return transaction.docChanged || transaction.selection ? null : tooltip;
  },
  provide: (field) => showTooltip.from(field),
});

async function goToDefinition(ask: Ask, view: EditorView, pos: number): Promise<void> {
  const { doc } = view.state;
  const text = doc.toString();
  const place = placeOf(doc, pos);
  const here = (location: Location) => {
    const { from, to } = rangeOf(doc, location);
    return from <= pos && pos <= to;
  };
  let { places } = ((await ask('definition', text, place)) ?? { places: [] }) as Places;
  if (places.length === 0 || places.every(here)) {
    // At the definition itself: on to the next that refers to it.
    ({ places } = ((await ask('references', text, place)) ?? { places: [] }) as Places);
    const at = places.findIndex(here);
    places = at < 0 ? [] : [places[(at + 1) % places.length]!];
  }
  const target = places.find((location) => !here(location));
  if (!target || !view.state.doc.eq(doc)) return;
  const { from, to } = rangeOf(doc, target);
  view.dispatch({
    selection: { anchor: from, head: to },
    effects: EditorView.scrollIntoView(from, { y: 'center' }),
  });
}

async function format(ask: Ask, view: EditorView): Promise<void> {
  const { doc } = view.state;
  const answer = (await ask('format', doc.toString(), {})) as
    { text: string; changed: boolean } | undefined;
  if (!answer?.changed || !view.state.doc.eq(doc)) return;
  const line = doc.lineAt(view.state.selection.main.head).number;
  view.dispatch({
    changes: { from: 0, to: doc.length, insert: answer.text },
    userEvent: 'input.format',
  });
  const now = view.state.doc;
  view.dispatch({ selection: { anchor: now.line(Math.min(line, now.lines)).from } });
}

/** Explanations, definitions and format, at the pointer and by keys. */
export function help(ask: Ask): Extension {
  return [
    keyed,
    hoverTooltip((view, pos) => explanation(ask, view.state.doc, pos), { hoverTime: 400 }),
    keymap.of([
      {
        key: 'Alt-i',
        run: (view) => {
          const { doc, selection } = view.state;
          void explanation(ask, doc, selection.main.head).then((tooltip) => {
            if (view.state.doc.eq(doc)) view.dispatch({ effects: setExplanation.of(tooltip) });
          });
          return true;
        },
      },
      {
        key: 'Escape',
        run: (view) => {
          if (!view.state.field(keyed)) return false;
          view.dispatch({ effects: setExplanation.of(null) });
          return true;
        },
      },
      {
        key: 'F12',
        run: (view) => {
          void goToDefinition(ask, view, view.state.selection.main.head);
          return true;
        },
      },
      {
        key: 'Shift-Alt-f',
        run: (view) => {
          void format(ask, view);
          return true;
        },
      },
    ]),
    EditorView.domEventHandlers({
      mousedown(event, view) {
        if (!(event.ctrlKey || event.metaKey) || event.button !== 0) return false;
        const pos = view.posAtCoords({ x: event.clientX, y: event.clientY });
        if (pos === null) return false;
        event.preventDefault();
        void goToDefinition(ask, view, pos);
        return true;
      },
    }),
  ];
}
