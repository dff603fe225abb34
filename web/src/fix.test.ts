import { describe, expect, it } from 'vitest';
import type { Counterfactual, TextEdit } from './api';
import { diffLines, optionsOfFix } from './fix';

const text = ['kind: 😀', 'count: 2', 'groups:', '- mig', 'last: 1'];
const lineAt = (line: number) => text[line - 1] ?? '';
const edit = (
  [line, column]: [number, number],
  [endLine, endColumn]: [number, number],
  replacement: string,
): TextEdit => ({ location: { document: 0, line, column, endLine, endColumn }, replacement });
const shown = (edits: TextEdit[]) =>
  diffLines(edits, lineAt).map(({ sign, line, text: content }) => `${line} ${sign} ${content}`);

describe('diffLines', () => {
  it('shows a word that is replaced as a line', () => {
    expect(shown([edit([2, 8], [2, 9], '1')])).toEqual(['2 - count: 2', '0 + count: 1']);
  });

  it('counts columns in code points', () => {
    expect(shown([edit([1, 7], [1, 8], 'x')])).toEqual(['1 - kind: 😀', '0 + kind: x']);
  });

  it('shows lines that come in and go out alone', () => {
    expect(shown([edit([4, 6], [4, 6], '\n- vgpu')])).toEqual(['0 + - vgpu']);
    expect(shown([edit([3, 1], [5, 1], '')])).toEqual(['3 - groups:', '4 - - mig']);
  });

  it('puts edits of one line together, and keeps the order of the text', () => {
    expect(
      shown([edit([5, 7], [5, 8], '2'), edit([2, 8], [2, 9], '1'), edit([2, 1], [2, 6], 'n')]),
    ).toEqual(['2 - count: 2', '0 + n: 1', '5 - last: 1', '0 + last: 2']);
  });

  it('bounds what it shows', () => {
    expect(shown([edit([2, 8], [2, 9], '\n'.repeat(100))]).length).toBe(12);
  });
});

describe('optionsOfFix', () => {
  const fix = (...steps: Partial<Counterfactual['steps'][number]>[]): Counterfactual => ({
    message: 'm',
    steps: steps.map((step) => ({ kind: 'gate', message: 'm', ...step })),
  });
  const now = { version: '1.36', gates: { A: true } };

  it('leaves the options alone where the fix does', () => {
    expect(optionsOfFix(fix({}), now)).toBeUndefined();
  });

  it('takes version and gates from the steps, and keeps the rest', () => {
    expect(optionsOfFix(fix({ featureGates: 'A=true,B=false' }), now)).toEqual({
      version: '1.36',
      gates: { A: true, B: false },
    });
    expect(optionsOfFix(fix({ kubernetesVersion: '1.37' }), now)).toEqual({
      version: '1.37',
      gates: { A: true },
    });
  });
});
