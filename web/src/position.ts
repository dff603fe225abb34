// From the places that the core names (line and column, in code points) to
// the offsets that the editor counts (UTF-16 units), and back.

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

/** The line and column, from 1 and in code points, of an offset. */
export function placeOf(doc: Text, offset: number): { line: number; column: number } {
  const line = doc.lineAt(offset);
  const before = line.text.slice(0, offset - line.from);
  return { line: line.number, column: [...before].length + 1 };
}
