import { describe, expect, it } from 'vitest';
import { SliceSize } from './online-pass.js';

/** The sizes of slices, when each slice takes `fixedMs`, and each of its records `recordMs` in addition. */
function sizes(fixedMs: number, recordMs: number, noise: (slice: number) => number = () => 1): number[] {
  const size = new SliceSize();
  return Array.from({ length: 200 }, (_, slice) => {
    const { rows } = size;
    size.took((fixedMs + rows * recordMs) * noise(slice), rows);
    return rows;
  });
}

const mean = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

describe('the size of a slice', () => {
  it.each([
    ['as many records as take 40 ms', 2, 0.1, 380],
    ['at most 5,000 records', 2, 0.001, 5_000],
    ['few records when each takes long', 2, 10, 3],
    ['one record that takes longer than 40 ms', 2, 1_000, 1],
    ['as many records as take 20 ms when the messages alone take 100 ms', 100, 0.1, 200],
    ['as many records as take 20 ms when the messages alone take a second', 1_000, 0.1, 200],
    ['few records when the messages and each record take long', 100, 4, 5],
  ])('is %s', (_, fixedMs, recordMs, rows) => {
    const later = sizes(fixedMs, recordMs).slice(20);
    expect(mean(later)).toBeGreaterThanOrEqual(rows * 0.6);
    expect(Math.max(...later)).toBeLessThanOrEqual(Math.max(rows * 1.7, 2));
  });

  it('stays large enough and takes less than a quarter of a second when times differ by half', () => {
    let seed = 7;
    const random = () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return 0.5 + seed / 2_147_483_647;
    };
    const later = sizes(60, 0.1, random).slice(20);
    expect(mean(later)).toBeGreaterThan(50);
    expect(60 + 0.1 * Math.max(...later)).toBeLessThan(250);
  });

  it('at most doubles, and does not change when a slice wrote nothing', () => {
    const size = new SliceSize();
    size.took(1, 200);
    expect(size.rows).toBe(400);
    size.took(1, 0);
    expect(size.rows).toBe(400);
  });
});
