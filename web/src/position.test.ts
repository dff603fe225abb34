import { Text } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import { placeOf, rangeOf } from './position';

const at = (line: number, column: number, endLine: number, endColumn: number) => ({
  document: 0,
  line,
  column,
  endLine,
  endColumn,
});

describe('placeOf', () => {
  it('counts code points from 1', () => {
    const doc = Text.of(['a', '😀x']);
    expect(placeOf(doc, 0)).toEqual({ line: 1, column: 1 });
    expect(placeOf(doc, 4)).toEqual({ line: 2, column: 2 });
    expect(placeOf(doc, 5)).toEqual({ line: 2, column: 3 });
  });
});

describe('rangeOf', () => {
  const doc = Text.of(['kind: Pod', 'name: "😀x" # é', '']);
  it('counts from 1, with an exclusive end', () => {
    expect(rangeOf(doc, at(1, 7, 1, 10))).toEqual({ from: 6, to: 9 });
  });
  it('counts code points, not UTF-16 units', () => {
    const { from, to } = rangeOf(doc, at(2, 9, 2, 10));
    expect(doc.sliceString(from, to)).toBe('x');
  });
  it('spans lines', () => {
    expect(rangeOf(doc, at(1, 1, 2, 5))).toEqual({ from: 0, to: 14 });
  });
  it('stays inside a text that has become shorter', () => {
    expect(rangeOf(doc, at(2, 99, 2, 120))).toEqual({ from: 25, to: 25 });
    expect(rangeOf(doc, at(9, 1, 9, 4))).toEqual({ from: doc.length, to: doc.length });
    expect(rangeOf(doc, at(0, 0, 0, 0))).toEqual({ from: 0, to: 0 });
  });
  it('never ends before it begins', () => {
    expect(rangeOf(doc, at(2, 3, 1, 1))).toEqual({ from: 12, to: 12 });
  });
});
