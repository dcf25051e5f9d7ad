/** Scales, ticks, stacking and slices. Pure. */

export type Extent = readonly [low: number, high: number];

/** A linear scale from values to pixels. */
export function linear([low, high]: Extent, [from, to]: Extent): (value: number) => number {
  const span = high - low || 1;
  return value => from + ((value - low) / span) * (to - from);
}

/** Round numbers over an extent, about `count` of them. The first and the last enclose it. */
export function ticks([low, high]: Extent, count: number): number[] {
  const step = niceStep((high - low || Math.abs(high) || 1) / Math.max(1, count));
  const [first, last] = [Math.floor(low / step), Math.ceil(high / step)];
  const all = Array.from({ length: Math.max(last - first, 1) + 1 }, (_, index) => (first + index) * step);
  // Sums of steps have rounding errors: 0.1 + 0.2 is not 0.3.
  return all.map(tick => Number(tick.toPrecision(12)));
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find(each => each * power >= rough * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** The extent of values, with zero in it. */
export function extentOf(values: Iterable<number | null>): Extent {
  let [low, high] = [0, 0];
  for (const value of values) {
    if (value === null) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

/** The part of the axis of one of `count` places. */
export function band(
  index: number,
  count: number,
  [from, to]: Extent,
  gap = 0.25,
): { start: number; size: number } {
  const step = (to - from) / Math.max(1, count);
  return { start: from + step * (index + gap / 2), size: step * (1 - gap) };
}

/** Places of labels on an axis such that none overlaps the next: every n-th, from the first. */
export function labelled(count: number, step: number, labelSize: number): number[] {
  const every = Math.max(1, Math.ceil(labelSize / step));
  return Array.from({ length: Math.ceil(count / every) }, (_, index) => index * every);
}

/** Puts series on each other: positive values upwards from zero, negative ones downwards. */
export function stacked(series: readonly (readonly (number | null)[])[]): Extent[][] {
  const length = series[0]?.length ?? 0;
  const up = new Array<number>(length).fill(0);
  const down = new Array<number>(length).fill(0);
  return series.map(values =>
    values.map((value, index) => {
      const side = (value ?? 0) < 0 ? down : up;
      const from = side[index] as number;
      side[index] = from + (value ?? 0);
      return [from, side[index] as number];
    }),
  );
}

export interface Slice {
  readonly index: number;
  /** Of the whole, 0 to 1. */
  readonly share: number;
  /** Angles in radians, clockwise from the top. */
  readonly from: number;
  readonly to: number;
}

/** The slices of a pie. Undefined if the values have no shares: one is negative, or all are zero. */
export function slices(values: readonly (number | null)[]): Slice[] | undefined {
  const total = values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  if (total <= 0 || values.some(value => (value ?? 0) < 0)) return undefined;
  let angle = 0;
  return values.map((value, index) => {
    const share = (value ?? 0) / total;
    const from = angle;
    angle += share * 2 * Math.PI;
    return { index, share, from, to: angle };
  });
}

/** The path of a slice around (0, 0). */
export function slicePath({ share, from, to }: Slice, radius: number): string {
  if (share >= 1) return `M0,${-radius}A${radius},${radius} 0 1 1 -0.01,${-radius}Z`;
  const at = (angle: number) => `${round(Math.sin(angle) * radius)},${round(-Math.cos(angle) * radius)}`;
  return `M0,0L${at(from)}A${radius},${radius} 0 ${to - from > Math.PI ? 1 : 0} 1 ${at(to)}Z`;
}

/** Pieces of a line through points; a gap begins a new piece. */
export function linePath(points: readonly (readonly [number, number] | null)[]): string {
  let path = '';
  let isOpen = false;
  for (const point of points) {
    if (point !== null) path += `${isOpen ? 'L' : 'M'}${round(point[0])},${round(point[1])}`;
    isOpen = point !== null;
  }
  return path;
}

/** A closed area between an upper and a lower line of the same places. */
export function areaPath(
  upper: readonly (readonly [number, number])[],
  lower: readonly (readonly [number, number])[],
): string {
  return upper.length === 0 ? '' : `${linePath(upper)}${linePath([...lower].reverse()).replace('M', 'L')}Z`;
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
