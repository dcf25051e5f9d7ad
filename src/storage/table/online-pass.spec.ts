import { describe, expect, it } from 'vitest';
import { nextSliceRows, SLICE_ROWS } from './online-pass.js';

/** The records of a slice after many, when each slice takes `fixedMs`, and each of its records `recordMs` in addition. */
function after100Slices(fixedMs: number, recordMs: number): number {
  let rows = SLICE_ROWS.first;
  for (let slice = 0; slice < 100; slice++) {
    const writeMs = rows * recordMs;
    rows = nextSliceRows(rows, { tookMs: fixedMs + writeMs, writeMs });
  }
  return rows;
}

describe('the size of a slice', () => {
  it.each([
    ['as many records as take 40 ms', 2, 0.1, 380],
    ['at most 5,000 records', 2, 0.001, 5_000],
    ['few records when each takes long', 2, 10, 4],
    ['one record that takes longer than 40 ms', 2, 1_000, 1],
    ['200 records when the messages alone take longer than 40 ms', 100, 0.1, 200],
    ['as many records as are written in 40 ms when the messages alone take longer', 100, 0.5, 80],
  ])('is %s', (_, fixedMs, recordMs, rows) => {
    expect(after100Slices(fixedMs, recordMs)).toBeGreaterThanOrEqual(rows * 0.95);
    expect(after100Slices(fixedMs, recordMs)).toBeLessThanOrEqual(rows);
  });

  it('at most doubles', () => {
    expect(nextSliceRows(300, { tookMs: 1, writeMs: 0 })).toBe(600);
  });
});
