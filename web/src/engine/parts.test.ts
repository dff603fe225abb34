import { describe, expect, it } from 'vitest';
import { cut, join, type Part } from './parts';

const size = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, held) => sum + size(held), 1)
    : 1;

const answer = {
  version: '1.37',
  pods: [{ name: 'a', nodes: Array.from({ length: 300 }, (_, i) => ({ name: `n${i}` })) }],
  picture: {
    pools: Array.from({ length: 100 }, (_, i) => ({ name: `p${i}`, devices: [{ n: i }, null] })),
    links: [],
  },
  ids: [[1, 2, 3], []],
};

describe('parts of an answer', () => {
  it('leave a short one whole', () => {
    expect(cut(answer, 1e6)).toEqual({ head: answer, parts: [] });
    expect(cut(null)).toEqual({ head: null, parts: [] });
  });

  it('make the same answer when they are put together', () => {
    for (const most of [1, 7, 50, 200, 700]) {
      const { head, parts } = structuredClone(cut(answer, most));
      expect(join(head, parts)).toEqual(answer);
    }
  });

  it('hold no more than asked for, but for a single item', () => {
    const { head, parts } = cut(answer, 50);
    expect(parts.length).toBeGreaterThan(10);
    expect(size(head)).toBeLessThan(50);
    for (const { items } of parts) {
      expect(items.reduce((sum: number, item) => sum + size(item), 0)).toBeLessThanOrEqual(50);
    }
  });

  it('come in the order in which they can be put together', () => {
    const nested = {
      list: [{ deep: Array.from({ length: 20 }, (_, i) => ({ i })) }, { deep: [] }],
    };
    const { head, parts } = cut(nested, 10);
    expect(parts.map(({ path }: Part) => path.join('.')).slice(0, 2)).toEqual([
      'list',
      'list.0.deep',
    ]);
    expect(join(head, parts)).toEqual(nested);
  });
});
