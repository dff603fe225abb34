// From the places that the core names (line and column, in code points) to
// the offsets that the editor counts (UTF-16 units), and from objects to the
// lines on which they stand.

import type { Text } from '@codemirror/state';
import type { Location } from './api';

export interface Range {
  from: number;
  to: number;
}

/**
 * The range of a location in the text. Locations beyond the text are moved
 * to its edge: a text that changed in the meantime must not throw.
 */
export function rangeOf(doc: Text, location: Location): Range {
  const from = offsetOf(doc, location.line, location.column);
  const to = offsetOf(doc, location.endLine, location.endColumn);
  return { from, to: Math.max(from, to) };
}

function offsetOf(doc: Text, lineNumber: number, column: number): number {
  if (lineNumber < 1) return 0;
  if (lineNumber > doc.lines) return doc.length;
  const line = doc.line(lineNumber);
  return line.from + unitsBefore(line.text, column - 1);
}

/** The number of UTF-16 units that the first code points of a line take. */
function unitsBefore(text: string, codePoints: number): number {
  let units = 0;
  for (let i = 0; i < codePoints && units < text.length; i++) {
    units += text.codePointAt(units)! > 0xffff ? 2 : 1;
  }
  return units;
}

export interface Wanted {
  kind: string;
  name: string;
  namespace?: string;
}

/**
 * The line on which an object's name stands, from 1; undefined where that is
 * not certain. It reads block YAML only, the form in which people write:
 * where the text is JSON or a List, nothing is found, rather than something
 * wrong.
 */
export function lineOfObject(text: string, wanted: Wanted): number | undefined {
  const found: number[] = [];
  for (const document of documents(text)) {
    if (document.kind !== wanted.kind || document.name !== wanted.name) continue;
    if (wanted.namespace && (document.namespace ?? 'default') !== wanted.namespace) continue;
    if (document.nameLine) found.push(document.nameLine);
  }
  return found.length === 1 ? found[0] : undefined;
}

interface Document {
  kind?: string;
  name?: string;
  namespace?: string;
  nameLine?: number;
}

function* documents(text: string): Generator<Document> {
  let current: Document = {};
  let inMetadata = false;
  let indent = 0;
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    if (/^---(\s|$)/.test(line)) {
      yield current;
      current = {};
      inMetadata = false;
      continue;
    }
    const match = /^( *)([A-Za-z]+):(?:\s+(.*?))?\s*$/.exec(line);
    if (!match) continue;
    const [, spaces = '', key = '', rest = ''] = match;
    if (spaces === '') {
      inMetadata = key === 'metadata';
      indent = 0;
      if (key === 'kind') current.kind = scalar(rest);
    } else if (inMetadata) {
      indent ||= spaces.length;
      if (spaces.length !== indent) continue;
      if (key === 'name') {
        current.name = scalar(rest);
        current.nameLine = i + 1;
      }
      if (key === 'namespace') current.namespace = scalar(rest);
    }
  }
  yield current;
}

function scalar(text: string): string {
  const plain = text.replace(/\s+#.*$/, '');
  const quoted = /^(["'])(.*)\1$/.exec(plain);
  return quoted ? quoted[2]! : plain;
}

/** The line and column, from 1 and in code points, of an offset. */
export function placeOf(doc: Text, offset: number): { line: number; column: number } {
  const line = doc.lineAt(offset);
  const before = line.text.slice(0, offset - line.from);
  return { line: line.number, column: [...before].length + 1 };
}
