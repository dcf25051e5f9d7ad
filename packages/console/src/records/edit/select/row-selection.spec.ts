import { describe, expect, it } from 'vitest';
import { MOST_CHOSEN, NOTHING_CHOSEN, toggled } from './row-selection.js';

const idAt = (row: number) => (row >= 0 && row < 5000 ? `r${row}` : undefined);
const chosen = (...presses: (readonly [row: number, isRange: boolean])[]) =>
  presses.reduce((selection, [row, isRange]) => toggled(selection, row, isRange, idAt), NOTHING_CHOSEN);

describe('chosen rows', () => {
  it('are added and removed one by one', () => {
    expect([...chosen([1, false], [3, false], [1, false]).ids]).toEqual(['r3']);
  });

  it('are added from the last one with Shift, in both directions', () => {
    expect([...chosen([3, false], [5, true]).ids]).toEqual(['r3', 'r4', 'r5']);
    expect([...chosen([3, false], [1, true]).ids].sort()).toEqual(['r1', 'r2', 'r3']);
    expect([...chosen([2, true]).ids]).toEqual(['r2']);
  });

  it('are at most as many as one batch can write', () => {
    expect(chosen([0, false], [4000, true], [4500, false]).ids.size).toBe(MOST_CHOSEN);
  });

  it('begin anew after all records were chosen', () => {
    const all = { ...chosen([1, false]), isAll: true };
    expect(toggled(all, 2, false, idAt)).toMatchObject({ isAll: false, ids: new Set(['r2']) });
  });
});
