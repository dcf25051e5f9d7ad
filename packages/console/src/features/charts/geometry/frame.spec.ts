import { describe, expect, it } from 'vitest';
import type { Plot } from '../model/series.js';
import { barsOf, frameOf, groupAt, MAX_ROWS, middleOf } from './frame.js';

const plotOf = (names: unknown[], ...series: (number | null)[][]): Plot => ({
  categories: names.map(value => ({ name: String(value), value })),
  series: series.map((values, index) => ({ name: `s${index}`, values })),
  unit: undefined,
  left: 0,
  isNumeric: true,
});
const cities = plotOf(['Bath', 'London', 'York'], [1, 4, null], [2, -1, 3]);

describe('the frame of a chart', () => {
  it('lets bars of texts lie, and bars of numbers, lines and periods stand', () => {
    const upright = (plot: Plot, type: 'bar' | 'line') => frameOf(plot, type, 400, true, String).isUpright;
    expect(upright(cities, 'bar')).toBe(false);
    expect(upright(cities, 'line')).toBe(true);
    expect(upright(plotOf([2019, 2020, null], [1, 2, 3]), 'bar')).toBe(true);
    expect(upright({ ...cities, unit: 'month' }, 'bar')).toBe(true);
  });

  it('keeps every bar inside the drawing, stacked or beside each other, at any width', () => {
    for (const width of [160, 320, 1200]) {
      for (const isStacked of [true, false]) {
        for (const plot of [cities, { ...cities, unit: 'day' as const }]) {
          const frame = frameOf(plot, 'bar', width, isStacked, String);
          for (const bar of barsOf(plot, frame, isStacked)) {
            expect(bar.x).toBeGreaterThanOrEqual(0);
            expect(bar.y).toBeGreaterThanOrEqual(0);
            expect(bar.x + bar.width).toBeLessThanOrEqual(frame.width);
            expect(bar.y + bar.height).toBeLessThanOrEqual(frame.height);
          }
        }
      }
    }
  });

  it('makes bars in proportion to their values', () => {
    const plot = plotOf([1, 2], [10, 20]);
    const [small, large] = barsOf(plot, frameOf(plot, 'bar', 400, true, String), true);
    expect(large?.height).toBeCloseTo(2 * (small?.height ?? 0));
  });

  it('has no bar for a missing value', () => {
    const frame = frameOf(cities, 'bar', 400, true, String);
    expect(barsOf(cities, frame, true)).toHaveLength(5);
  });

  it('finds the group at a place', () => {
    const frame = frameOf(cities, 'line', 400, false, String);
    expect([0, 1, 2].map(index => groupAt(middleOf(index, frame), frame))).toEqual([0, 1, 2]);
    expect(groupAt(-5, frame)).toBeUndefined();
    expect(groupAt(1000, frame)).toBeUndefined();
  });

  it('draws at most so many lying bars', () => {
    const names = Array.from({ length: 100 }, (_, index) => `city ${index}`);
    const frame = frameOf(plotOf(names, names.map(() => 1)), 'bar', 400, true, String); // biome-ignore format: one plot
    expect(frame.count).toBe(MAX_ROWS);
  });
});
