import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../base/kernel/clock.js';
import { correctionFor } from './shared-time.js';

describe('the correction of a clock', () => {
  it.each([
    [{ behindMs: -120_000.4, errorMs: 2 }, -120_000],
    [{ behindMs: 30, errorMs: 12 }, 30],
    [{ behindMs: 12, errorMs: 12 }, 0],
    [{ behindMs: -0.9, errorMs: 0 }, 0],
  ])('of %j is %i ms: zero within the error of the measurement', (offset, correction) => {
    expect(correctionFor(offset)).toBe(correction);
  });

  it('moves every later instant, and the next correction replaces it', () => {
    const clock = new SystemClock();
    clock.correct(-120_000);
    expect(Math.abs(clock.now().getTime() - Date.now() + 120_000)).toBeLessThan(1_000);
    clock.correct(0);
    expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(1_000);
  });
});
