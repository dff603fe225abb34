import { describe, expect, it } from 'vitest';
import { closerOperations, longText, optionsOf, specialOf } from './questions';
import { initial, reduce, type State } from './state';

const selected = { kind: 'pod' as const, name: 'default/two' };
const baseline = { text: 'before', version: '1.36', gates: { A: true }, change: 'c' };
const known = { default: '1.37', versions: [] };

describe('questions', () => {
  it('ask for a picture always, and in groups about long texts', () => {
    expect(specialOf(initial, 'a')['allocate']).toEqual({ options: { picture: true } });
    expect(specialOf(initial, 'a'.repeat(longText + 1))['allocate']).toEqual({
      options: { picture: true, explain: 'summary' },
    });
  });

  it('ask about the selected one, and by node where the rest is in groups', () => {
    const state: State = { ...initial, selected };
    expect(closerOperations(initial)).toEqual([]);
    expect(closerOperations(state)).toEqual(['explain', 'capacity']);
    expect(specialOf(state, 'a')['explain']).toEqual({ options: { pod: 'default/two' } });
    expect(specialOf(state, 'a'.repeat(longText + 1))['explain']).toEqual({
      options: { pod: 'default/two', explain: 'full' },
    });
  });

  it('compare with the text and the options from before', () => {
    const state: State = { ...initial, baseline, known, version: '', gates: {} };
    expect(closerOperations(state)).toEqual(['diff']);
    expect(specialOf(state, 'after')['diff']).toEqual({
      text: '{"before":"before","after":"after"}',
      options: {
        kubernetesVersion: '1.36',
        featureGates: 'A=true',
        afterKubernetesVersion: '1.37',
        afterFeatureGates: ',',
      },
    });
    expect(optionsOf({ ...state, version: '1.35', gates: { B: false } })).toEqual({
      kubernetesVersion: '1.35',
      featureGates: 'B=false',
    });
  });
});

describe('state', () => {
  const explain = { fitsIf: [] } as never;
  it('forgets what is known of one when another is selected', () => {
    let state = reduce({ ...initial }, { kind: 'select', selected });
    state = reduce(state, { kind: 'explained', explain });
    expect(state.closer?.explain).toBe(explain);
    state = reduce(state, { kind: 'counted', capacity: { copies: 1 } as never });
    expect(state.closer).toMatchObject({ of: selected, explain, capacity: { copies: 1 } });
    expect(reduce(state, { kind: 'select', selected: { ...selected } })).toBe(state);
    state = reduce(state, { kind: 'select', selected: { kind: 'claim', name: 'default/c' } });
    expect(state.closer).toBeUndefined();
    expect(reduce(initial, { kind: 'explained', explain }).closer).toBeUndefined();
  });

  it('keeps no comparison without what it compares with', () => {
    const diff = { pods: [] } as never;
    expect(reduce(initial, { kind: 'compared', diff }).diff).toBeUndefined();
    const state = reduce({ ...initial, baseline }, { kind: 'compared', diff });
    expect(state.diff).toBe(diff);
    expect(reduce(state, { kind: 'baseline', baseline: undefined }).diff).toBeUndefined();
  });
});
