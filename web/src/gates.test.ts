import { describe, expect, it } from 'vitest';
import type { GateInfo } from './api';
import { applicable, formatGates, isOn, parseGates, setGate, unsetGate } from './gates';

const common = { locked: false, needs: [] as string[] };
const alpha: GateInfo = { name: 'Alpha', stage: 'alpha', default: false, ...common };
const beta: GateInfo = { name: 'Beta', stage: 'beta', default: true, ...common };
const child: GateInfo = {
  name: 'Child',
  stage: 'alpha',
  default: false,
  locked: false,
  needs: ['Alpha', 'Beta'],
};
const done: GateInfo = { name: 'Done', stage: 'GA', default: true, locked: true, needs: [] };

describe('gates', () => {
  it('writes and reads the flag', () => {
    expect(formatGates({ Beta: false, Alpha: true })).toBe('Alpha=true,Beta=false');
    expect(parseGates(' Alpha=true ,Beta=false')).toEqual({ Alpha: true, Beta: false });
    expect(parseGates('Alpha=yes,=true,Alpha,<b>=true')).toEqual({});
    expect(parseGates('')).toEqual({});
  });
  const all = [alpha, beta, child, done];
  it('remembers what was set, be it the default', () => {
    const once = setGate({}, all, 'Alpha', true);
    expect(once).toEqual({ Alpha: true });
    expect(setGate(once, all, 'Alpha', false)).toEqual({ Alpha: false });
    expect(unsetGate(once, all, 'Alpha')).toEqual({});
  });
  it('leaves locked and unknown gates alone', () => {
    expect(setGate({}, all, 'Done', false)).toEqual({});
    expect(setGate({}, all, 'Gone', true)).toEqual({});
    expect(unsetGate({ Gone: true }, all, 'Gone')).toEqual({});
  });
  it('turns on what a gate needs, and off what needs it', () => {
    const on = setGate({ Beta: false }, all, 'Child', true);
    expect(on).toEqual({ Child: true, Alpha: true, Beta: true });
    expect(setGate(on, all, 'Alpha', false)).toEqual({ Child: false, Alpha: false, Beta: true });
    expect(unsetGate(on, all, 'Alpha')).toEqual({ Child: false, Beta: true });
    expect(unsetGate(on, all, 'Beta')).toEqual({ Child: true, Alpha: true });
  });
  it('knows what is on', () => {
    expect(isOn({}, alpha)).toBe(false);
    expect(isOn({ Alpha: true }, alpha)).toBe(true);
    expect(isOn({ Beta: false }, beta)).toBe(false);
    expect(isOn({ Done: false }, done)).toBe(true);
  });
  it('sends only what means something at the version', () => {
    const choice = { Alpha: true, Beta: true, Done: false, Gone: true };
    expect(applicable(choice, [alpha, beta, done])).toEqual({ Alpha: true, Beta: true });
  });
});
