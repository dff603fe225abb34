import { describe, expect, it } from 'vitest';
import { examples, parseExample } from './examples';

describe('examples', () => {
  it('read their header', () => {
    const text =
      '# Cats: two of them.\n# more\n# Try: a third.\n# Gates: A=true, B=false\nkind: Cat\n';
    expect(parseExample('./examples/07-cats.yaml', text)).toEqual({
      id: 'cats',
      title: 'Cats',
      about: 'two of them.',
      tip: 'a third.',
      gates: { A: true, B: false },
      version: '',
      text,
    });
  });
  it('need a header', () => {
    expect(() => parseExample('x.yaml', 'kind: Cat\n')).toThrow(/must begin/);
    expect(() => parseExample('x.yaml', '# Cats: two.\nkind: Cat\n')).toThrow(/Try/);
  });
  it('begin with the one that surprises', () => {
    expect(examples.map(({ id }) => id)[0]).toBe('compatibility-groups');
    expect(examples[0]!.gates).toEqual({ DRADeviceCompatibilityGroups: true });
  });
  it('have names of their own', () => {
    expect(new Set(examples.map(({ id }) => id)).size).toBe(examples.length);
    expect(new Set(examples.map(({ title }) => title)).size).toBe(examples.length);
  });
});
