import { describe, expect, it } from 'vitest';
import { applicable, formatGates, isOn, parseGates, setGate } from './gates';

const alpha = { name: 'Alpha', stage: 'alpha', default: false };
const beta = { name: 'Beta', stage: 'beta', default: true };
const done = { name: 'Done', stage: 'GA', default: true, locked: true };

describe('gates', () => {
  it('writes and reads the flag', () => {
    expect(formatGates({ Beta: false, Alpha: true })).toBe('Alpha=true,Beta=false');
    expect(parseGates(' Alpha=true ,Beta=false')).toEqual({ Alpha: true, Beta: false });
    expect(parseGates('Alpha=yes,=true,Alpha,<b>=true')).toEqual({});
    expect(parseGates('')).toEqual({});
  });
  it('keeps only what differs from the default', () => {
    const once = setGate({}, alpha, true);
    expect(once).toEqual({ Alpha: true });
    expect(setGate(once, alpha, false)).toEqual({});
    expect(setGate(once, beta, false)).toEqual({ Alpha: true, Beta: false });
  });
  it('knows what is on', () => {
    expect(isOn({}, alpha)).toBe(false);
    expect(isOn({ Alpha: true }, alpha)).toBe(true);
    expect(isOn({ Beta: false }, beta)).toBe(false);
    expect(isOn({ Done: false }, done)).toBe(true);
  });
  it('sends only what means something at the version', () => {
    const choice = { Alpha: true, Beta: true, Done: false, Gone: true };
    expect(applicable(choice, [alpha, beta, done])).toEqual({ Alpha: true });
  });
});
