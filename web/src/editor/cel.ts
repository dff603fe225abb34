// Colours for the expressions that selectors hold. YAML sees strings in them;
// the words of CEL are found here, on the lines that are on the screen.

import { RangeSetBuilder, type Text } from '@codemirror/state';
import {
  Decoration,
  ViewPlugin,
  type DecorationSet,
  type EditorView,
  type ViewUpdate,
} from '@codemirror/view';

export interface Token {
  from: number;
  to: number;
  kind: 'string' | 'number' | 'word' | 'call' | 'name';
}

const token =
  /(\\?"(?:[^"\\]|\\.)*?\\?"|'(?:[^'\\]|\\.)*')|(\b\d+(?:\.\d+)?\b)|\b(true|false|null|in|device)\b|\b([A-Za-z_]\w*)(?=\()|(?<=\.)([A-Za-z_]\w*)/g;

const kinds = ['string', 'number', 'word', 'call', 'name'] as const;

/** The words of an expression, at the offset where it stands. */
export function tokens(expression: string, at: number): Token[] {
  return [...expression.matchAll(token)].map((match) => {
    const kind = kinds[match.slice(1).findIndex((part) => part !== undefined)]!;
    return { from: at + match.index, to: at + match.index + match[0].length, kind };
  });
}

/** Where an expression begins on a line, and the column of its key. */
const opening = /^([ -]*)(?:.*[{,]\s*)?(["']?)expression\2:\s+(.*)$/;

/** The words of the expressions on some lines of a text. */
export function expressionTokens(doc: Text, first: number, last: number): Token[] {
  const found: Token[] = [];
  let inside = -1; // the column of the key of a block that goes on
  // A block may have begun above the lines that are on the screen.
  for (let number = Math.max(1, first - 30); number <= last; number++) {
    const { text, from } = doc.line(number);
    const indent = text.search(/\S/);
    if (inside >= 0 && (indent < 0 || indent > inside)) {
      if (number >= first) found.push(...tokens(text, from));
      continue;
    }
    inside = -1;
    const match = opening.exec(text);
    if (!match) continue;
    const value = match[3]!;
    if (/^[|>]/.test(value)) {
      inside = match[1]!.length;
    } else if (number >= first) {
      const start = from + text.length - value.length;
      const quote = /^["']/.exec(value)?.[0];
      const end = quote ? value.lastIndexOf(quote) : value.length;
      const skip = quote ? 1 : 0;
      found.push(...tokens(value.slice(skip, Math.max(skip, end)), start + skip));
    }
  }
  return found;
}

const marks = Object.fromEntries(
  kinds.map((kind) => [kind, Decoration.mark({ class: `cm-cel-${kind}` })]),
);

function draw(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  let drawn = 0;
  for (const { from, to } of view.visibleRanges) {
    const { doc } = view.state;
    for (const found of expressionTokens(doc, doc.lineAt(from).number, doc.lineAt(to).number)) {
      if (found.from < drawn) continue;
      builder.add(found.from, found.to, marks[found.kind]!);
      drawn = found.to;
    }
  }
  return builder.finish();
}

export const cel = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = draw(view);
    }
    update(update: ViewUpdate) {
      if (update.docChanged || update.viewportChanged) this.decorations = draw(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);
