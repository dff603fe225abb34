import { describe, expect, it } from 'vitest';
import { matching } from './assist';

const items = ['deviceClassName', 'name', 'nodeName'].map((label) => ({
  label,
  kind: 'field' as const,
  insert: label,
}));
const labels = (typed: string) => matching(items, typed).map(({ label }) => label);

describe('what is offered', () => {
  it('is all, in the order of the core, as long as nothing is typed', () => {
    expect(labels('')).toEqual(['deviceClassName', 'name', 'nodeName']);
  });
  it('begins with what is typed, or at least has it, whatever the case', () => {
    expect(labels('NAME')).toEqual(['name', 'deviceClassName', 'nodeName']);
    expect(labels('x')).toEqual([]);
  });
});
