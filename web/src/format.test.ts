import { describe, expect, it } from 'vitest';
import { count, duration, list, megabytes } from './format';

describe('format', () => {
  it('writes sizes, times and counts', () => {
    expect(megabytes(16309360)).toBe('16.3 MB');
    expect([duration(0.2), duration(12.4), duration(2345)]).toEqual([
      'under 1 ms',
      '12 ms',
      '2.3 s',
    ]);
    expect([count(1, 'problem'), count(2, 'problem'), count(0, 'pod')]).toEqual([
      '1 problem',
      '2 problems',
      '0 pods',
    ]);
  });
  it('shortens long lists', () => {
    expect(list([])).toBe('');
    expect(list(['a'])).toBe('a');
    expect(list(['a', 'b', 'c', 'd'])).toBe('a, b, c and d');
    expect(list(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c and 2 more');
  });
});
