import { afterEach, describe, expect, it } from 'vitest';
import { examples, grouped, opening, parseExample, placesOf, wordsOf } from './examples';
import promises from './examples/promises.json';
import zh from './examples/zh.json';
import { speak } from './texts';

describe('examples', () => {
  it('read their header', () => {
    const text =
      '# Cats: two of them.\n# more\n# Try: a third.\n# Gates: A=true, B=false\nkind: Cat\n';
    expect(parseExample('./examples/07-cats.yaml', text)).toEqual({
      id: 'cats',
      group: '',
      title: 'Cats',
      about: 'two of them.',
      tip: 'a third.',
      changes: [],
      then: '',
      view: undefined,
      gates: { A: true, B: false },
      version: '',
      text,
    });
  });
  it('need a header', () => {
    expect(() => parseExample('x.yaml', 'kind: Cat\n')).toThrow(/must begin/);
    expect(() => parseExample('x.yaml', '# Cats: two.\nkind: Cat\n')).toThrow(/Try/);
  });
  it('open with the one that surprises', () => {
    expect(opening.gates).toEqual({ DRADeviceCompatibilityGroups: true });
  });
  it('stand under headings, each in one piece', () => {
    expect(grouped().map(([group]) => group)).toEqual([
      'First steps',
      'Choosing devices',
      'Sharing a device',
      'Pods and nodes',
      'When something is wrong',
      'Beyond the scheduler',
    ]);
    expect(grouped().flatMap(([, list]) => list)).toEqual(examples);
  });
  it.each(examples.map((example) => [example.id, example] as const))(
    '%s says what to change, and what comes of it',
    (id, { changes, text, then, about }) => {
      expect(about).toMatch(/\.$/);
      expect(then).toMatch(/\.$/);
      expect(changes.length).toBeGreaterThan(0);
      expect(placesOf(changes, text)).toHaveLength(changes.length);
      expect(promises).toHaveProperty(id);
    },
  );
  it('change nothing in a text that is another by now', () => {
    const changes = [{ from: 'b', to: 'c' }];
    expect(placesOf(changes, '# b\nab\n')).toEqual([{ from: 5, to: 6, insert: 'c' }]);
    expect(placesOf(changes, '# b\na\n')).toBeUndefined();
    expect(placesOf(changes, '# b\nabb\n')).toBeUndefined();
    expect(placesOf(changes, '# b\n')).toBeUndefined();
    expect(placesOf(changes, '')).toBeUndefined();
  });
  afterEach(() => speak('en'));
  it('are told of in Chinese too, in full and with the same names', () => {
    expect(Object.keys(zh)).toEqual(examples.map(({ id }) => id));
    expect(wordsOf(opening)).toBe(opening);
    speak('zh');
    const told = examples.map(wordsOf);
    expect(new Set(told.map(({ title }) => title)).size).toBe(examples.length);
    for (const [index, words] of told.entries()) {
      const { about, tip, then } = examples[index]!;
      for (const word of Object.values(words)) expect(word).toMatch(/\p{Script=Han}/u);
      for (const sentence of [words.about, words.tip, words.then]) expect(sentence).toMatch(/。$/);
      // Objects, fields and amounts are called the same in every language.
      const names = /\b[a-z]+-[a-z0-9-]*\d\b|\b\d+Gi?\b|\bF8\b/g;
      const all = [about, tip, then].join(' ').match(names) ?? [];
      expect((Object.values(words).join(' ').match(names) ?? []).sort()).toEqual(all.sort());
    }
  });
  it('have names of their own', () => {
    expect(new Set(examples.map(({ id }) => id)).size).toBe(examples.length);
    expect(new Set(examples.map(({ title }) => title)).size).toBe(examples.length);
  });
});
