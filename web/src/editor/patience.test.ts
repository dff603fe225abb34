import { describe, expect, it } from 'vitest';
import { impatient } from './patience';

describe('the question whether input is pending', () => {
  it('is answered by the browser, and with yes at the end of a stretch', async () => {
    let now = 100;
    let pending = false;
    const ask = impatient(
      () => pending,
      () => now,
    );
    const asked = (ms: number) => {
      now += ms;
      return ask();
    };
    expect([asked(0), asked(6), asked(6)]).toEqual([false, false, false]);
    expect([asked(1), asked(0)]).toEqual([true, true]);
    // What asks after a break has a stretch of its own.
    await Promise.resolve();
    expect([asked(0), asked(12)]).toEqual([false, false]);
    pending = true;
    expect(asked(0)).toBe(true);
  });
});
