import { describe, expect, it } from 'vitest';
import { diffLines, fold } from './diff';

const marks = { both: ' ', before: '-', after: '+' };
const show = (before: string, after: string) =>
  diffLines(before, after)
    .map(({ side, text }) => marks[side] + text)
    .join('\n');

describe('diffLines', () => {
  it('shows what came and what is gone in its place', () => {
    expect(show('a\nb\nc\n', 'a\nx\nc\nd\n')).toBe(' a\n-b\n+x\n c\n+d');
    expect(show('a\nb\nc\nd\n', 'b\nd\n')).toBe('-a\n b\n-c\n d');
  });
  it('needs no last line break, and no line', () => {
    expect(show('a', 'a\n')).toBe(' a');
    expect(show('', 'a\n')).toBe('+a');
    expect(show('', '')).toBe('');
  });
  it('gives up on long texts that have little in common, and loses nothing', () => {
    const a = Array.from({ length: 4000 }, (_, i) => `a${i}`).join('\n');
    const b = Array.from({ length: 4000 }, (_, i) => `b${i}`).join('\n');
    expect(diffLines(a, b)).toHaveLength(8000);
  });
});

describe('fold', () => {
  it('leaves out what is the same, far from what differs', () => {
    const text = Array.from({ length: 20 }, (_, i) => String(i)).join('\n');
    const folded = fold(diffLines(text, text.replace('10', 'ten')), 2);
    expect(folded[0]).toEqual({ skipped: 8 });
    expect(folded.at(-1)).toEqual({ skipped: 7 });
    expect(folded).toHaveLength(2 + 4 + 2);
  });
  it('keeps a single line', () => {
    expect(fold(diffLines('a\nb\n', 'a\nb\nc\n'), 1)).toEqual([
      { side: 'both', text: 'a' },
      { side: 'both', text: 'b' },
      { side: 'after', text: 'c' },
    ]);
  });
});
