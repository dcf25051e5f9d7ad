import { describe, expect, it } from 'vitest';
import {
  areaPath,
  band,
  extentOf,
  labelled,
  linear,
  linePath,
  slicePath,
  slices,
  stacked,
  ticks,
} from './scale.js';

describe('ticks', () => {
  it.each([
    [[0, 10], 4, [0, 2.5, 5, 7.5, 10]],
    [[0, 7], 4, [0, 2, 4, 6, 8]],
    [[0, 0.3], 3, [0, 0.1, 0.2, 0.3]],
    [[-3, 9], 4, [-5, 0, 5, 10]],
    [[0, 1_234_567], 4, [0, 500_000, 1_000_000, 1_500_000]],
    [[0, 0], 4, [0, 0.25]],
  ] as const)('enclose %j with about %i round numbers', (extent, count, expected) => {
    expect(ticks(extent, count)).toEqual(expected);
  });
});

describe('a scale', () => {
  it('maps the ends of values to the ends of pixels, also downwards', () => {
    const scale = linear([0, 10], [200, 0]);
    expect([scale(0), scale(5), scale(10)]).toEqual([200, 100, 0]);
  });

  it('has a place for values that are all the same', () => {
    expect(linear([5, 5], [0, 100])(5)).toBe(0);
  });

  it('has zero in the extent of its values', () => {
    expect(extentOf([3, null, 8])).toEqual([0, 8]);
    expect(extentOf([-2, -4])).toEqual([-4, 0]);
  });

  it('gives each group the same part of the axis', () => {
    expect(band(0, 4, [0, 100], 0)).toEqual({ start: 0, size: 25 });
    expect(band(3, 4, [0, 100], 0.2)).toEqual({ start: 77.5, size: 20 });
  });

  it('labels every n-th group if labels would overlap', () => {
    expect(labelled(5, 50, 40)).toEqual([0, 1, 2, 3, 4]);
    expect(labelled(7, 20, 50)).toEqual([0, 3, 6]);
    expect(labelled(0, 20, 50)).toEqual([]);
  });
});

describe('stacking', () => {
  it('puts positive values upwards and negative ones downwards', () => {
    expect(
      stacked([
        [1, -1, null],
        [2, -2, 3],
      ]),
    ).toEqual([
      [
        [0, 1],
        [0, -1],
        [0, 0],
      ],
      [
        [1, 3],
        [-1, -3],
        [0, 3],
      ],
    ]);
  });
});

describe('a pie', () => {
  it('has slices in proportion to the values', () => {
    const parts = slices([1, null, 3]) ?? [];
    expect(parts.map(({ share }) => share)).toEqual([0.25, 0, 0.75]);
    expect(parts.at(-1)?.to).toBeCloseTo(2 * Math.PI);
  });

  it.each([[[0, 0]], [[1, -1]], [[]]])('has no shares of %j', values => {
    expect(slices(values)).toBeUndefined();
  });

  it('draws a whole circle for the only value', () => {
    const [all] = slices([7]) ?? [];
    expect(slicePath(all as never, 10)).toMatch(/^M0,-10A10,10 0 1 1/);
  });

  it('takes the long way round for more than half', () => {
    const [, large] = slices([1, 3]) ?? [];
    expect(slicePath(large as never, 10)).toContain(' 0 1 1 ');
  });
});

describe('a line', () => {
  it('is broken where a value is missing', () => {
    expect(linePath([[0, 1], [1, 2], null, [3, 4]])).toBe('M0,1L1,2M3,4');
  });

  it('closes the area down to the line below', () => {
    expect(areaPath([[0, 1], [1, 2]], [[0, 9], [1, 9]])).toBe('M0,1L1,2L1,9L0,9Z'); // biome-ignore format: points in a line
    expect(areaPath([], [])).toBe('');
  });
});
