import { afterEach, describe, expect, it } from 'vitest';
import { SystemClock } from './clock.js';
import { newId } from './id.js';

const HOUR_MS = 3_600_000;
const clock = new SystemClock();
afterEach(() => clock.correct(0));

const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

describe('new ids', () => {
  it.each([-HOUR_MS, HOUR_MS, -0.4])('have the corrected time, which is %d ms ahead', correction => {
    clock.correct(correction);
    const ids = Array.from({ length: 1_000 }, newId);
    for (const id of ids) expect(Math.abs(timeOf(id) - clock.now().getTime())).toBeLessThan(5_000);
    expect(ids.toSorted()).toEqual(ids);
  });

  it('still ascend when the clock is set back a little', () => {
    const ids = [0, -20, -400, -2_000, -5_000].flatMap(correction => {
      clock.correct(correction);
      return [newId(), newId()];
    });
    expect(ids.toSorted()).toEqual(ids);
  });
});
