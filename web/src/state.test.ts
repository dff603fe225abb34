import { describe, expect, it } from 'vitest';
import {
  awaited,
  currentVersion,
  inFront,
  initial,
  reduce,
  type Action,
  type State,
} from './state';

const after = (state: State, ...actions: Action[]) => actions.reduce(reduce, state);
const allocated: Action = {
  kind: 'allocated',
  answer: {
    result: {
      kubernetesVersion: '1.37',
      allocator: 'incubating',
      pods: [],
      claims: [],
      diagnostics: [],
      assumptions: [],
    },
    raw: '{}',
    ms: 1,
  },
};

describe('reduce', () => {
  it('is busy from the question to the last answer, a refusal or a failure', () => {
    const asked = after(initial, { kind: 'asked' });
    expect(asked.busy).toBe(true);
    expect(after(asked, allocated).busy).toBe(false);
    expect(after(asked, { kind: 'abandoned', seconds: 20 }).busy).toBe(false);
    const failure = { stage: 'run' as const, detail: 'x' };
    expect(after(asked, { kind: 'failed', failure }).busy).toBe(false);
  });
  it('awaits an answer from the first letter on, whatever is said of the text before', () => {
    expect(awaited(initial)).toBe(false);
    const typed = after(initial, { kind: 'asked' }, { kind: 'typed' }, allocated);
    expect([typed.busy, awaited(typed)]).toEqual([false, true]);
    expect(after(typed, { kind: 'typed' })).toBe(typed);
    const asked = after(typed, { kind: 'asked' });
    expect([asked.typed, awaited(asked)]).toEqual([false, true]);
    expect(awaited(after(asked, allocated))).toBe(false);
  });
  it('keeps the old answer while a new one is on its way', () => {
    expect(after(initial, allocated, { kind: 'asked' }).allocate).toBeDefined();
  });
  it('forgets answers that a refusal makes wrong, and the refusal on the next answer', () => {
    const refused = after(initial, allocated, {
      kind: 'refused',
      refusal: { option: 'featureGates', message: 'no such gate' },
    });
    expect([refused.allocate, refused.busy]).toEqual([undefined, false]);
    expect(after(refused, allocated).refusal).toBeUndefined();
  });
  it('forgets that it gave up when asked anew', () => {
    const state = after(initial, { kind: 'abandoned', seconds: 20 }, { kind: 'asked' });
    expect(state.abandoned).toBeUndefined();
  });
  it('keeps the size when the worker starts anew with the same module', () => {
    const loaded = { bytes: 5, transferred: 3 };
    const state = after(initial, { kind: 'ready', loaded }, { kind: 'restart' });
    expect(after(state, { kind: 'ready', loaded: undefined }).loaded).toEqual(loaded);
  });
  it('comes back to the same view of the answer', () => {
    const state = after(initial, { kind: 'tab', tab: 'json' }, { kind: 'tab', tab: 'text' });
    expect(inFront(state)).toBe('json');
    const narrow = after(state, { kind: 'narrow', narrow: true });
    expect(inFront(narrow)).toBe('text');
    expect(inFront(after(narrow, { kind: 'tab', tab: 'problems' }))).toBe('problems');
  });
  it('closes only the notice that was meant', () => {
    const one = after(initial, { kind: 'notice', tone: 'good', text: 'a' });
    const two = after(one, { kind: 'notice', tone: 'bad', text: 'b' });
    expect(after(two, { kind: 'unnotice', id: one.notice!.id }).notice?.text).toBe('b');
    expect(after(two, { kind: 'unnotice', id: two.notice!.id }).notice).toBeUndefined();
  });
});

describe('currentVersion', () => {
  const known = {
    default: '1.36',
    versions: [
      { version: '1.37', gates: [] },
      { version: '1.36', gates: [] },
    ],
  };
  it('is the chosen one, else the default', () => {
    expect(currentVersion({ ...initial, known, version: '1.37' })?.version).toBe('1.37');
    expect(currentVersion({ ...initial, known, version: '1.20' })?.version).toBe('1.36');
    expect(currentVersion(initial)).toBeUndefined();
  });
});
