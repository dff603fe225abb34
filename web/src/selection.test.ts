import { describe, expect, it } from 'vitest';
import type { AllocateResult } from './api';
import { firstPending, isPending, subjectOf, subjects } from './selection';

const result = {
  pods: [
    {
      namespace: 'default',
      name: 'one',
      outcome: 'Scheduled',
      node: 'n',
      claims: ['default/a'],
      nodes: [],
    },
    { namespace: 'default', name: 'two', outcome: 'Unschedulable', claims: [], nodes: [] },
  ],
  claims: [
    { outcome: 'Allocated', claim: { metadata: { name: 'a', namespace: 'default' } } },
    { outcome: 'Unallocated', claim: { metadata: { name: 'b', namespace: 'x' } } },
  ],
} as unknown as AllocateResult;

describe('selection', () => {
  it('has pods, and claims that none of them uses', () => {
    expect(subjects(result).map(({ selected }) => `${selected.kind} ${selected.name}`)).toEqual([
      'pod default/one',
      'pod default/two',
      'claim x/b',
    ]);
    expect(subjects(result).map(isPending)).toEqual([false, true, true]);
  });

  it('starts with the first that does not fit', () => {
    expect(firstPending(result)).toEqual({ kind: 'pod', name: 'default/two' });
    const fits = { ...result, pods: result.pods.slice(0, 1), claims: [] };
    expect(firstPending(fits)).toEqual({ kind: 'pod', name: 'default/one' });
    expect(firstPending({ ...fits, pods: [] })).toBeUndefined();
  });

  it('looks one up, or none that is not there any more', () => {
    expect(subjectOf(result, { kind: 'claim', name: 'x/b' })?.outcome).toBe('Unallocated');
    expect(subjectOf(result, { kind: 'pod', name: 'x/b' })).toBeUndefined();
    expect(subjectOf(undefined, { kind: 'pod', name: 'x/b' })).toBeUndefined();
  });
});
