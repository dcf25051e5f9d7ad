import type { ChartType } from '../model/chart.js';
import type { Plot, Series } from '../model/series.js';
import { band, type Extent, extentOf, linear, stacked, ticks } from './scale.js';

/** Horizontal bars at most; the table has the other groups. */
export const MAX_ROWS = 30;
const ROW = 28;
const HEIGHT = 240;
const CHARACTER = 7.6;
const LINE = 20;

/** Where the parts of a chart with axes are, in pixels, and the scale of its values. */
export interface Frame {
  /** True: values go up, groups to the right. False: values go to the right, groups down. */
  readonly isUpright: boolean;
  readonly width: number;
  readonly height: number;
  /** The extent of the groups and of the values in pixels. */
  readonly groups: Extent;
  readonly values: Extent;
  readonly ticks: readonly number[];
  readonly scale: (value: number) => number;
  /** Groups that are drawn. */
  readonly count: number;
  /** Characters of a group's name that fit. */
  readonly nameLength: number;
  /** Lower and upper value of each series in each group. */
  readonly spans: readonly (readonly Extent[])[];
}

/** Groups with a text of their own lie below each other, where their names fit; periods and lines go to the right. */
export function frameOf(
  plot: Plot,
  type: ChartType,
  width: number,
  isStacked: boolean,
  tickText: (value: number) => string,
): Frame {
  const isUpright = standsUp(plot, type);
  const count = isUpright ? plot.categories.length : Math.min(plot.categories.length, MAX_ROWS);
  const spans = spansOf(plot.series, isStacked);
  const extent = extentOf(spans.flatMap(spanned => spanned.slice(0, count).flat()));
  const marks = ticks(extent, isUpright ? 4 : Math.max(2, Math.floor(width / 130)));
  const domain: Extent = [marks[0] as number, marks.at(-1) as number];
  const common = { isUpright, width, ticks: marks, count, spans };
  if (isUpright) {
    const left = Math.max(...marks.map(mark => tickText(mark).length)) * CHARACTER + 10;
    const values: Extent = [HEIGHT - LINE - 6, 10];
    const groups: Extent = [left, width - 8];
    return { ...common, height: HEIGHT, groups, values, scale: linear(domain, values), nameLength: 14 };
  }
  const longest = Math.max(0, ...plot.categories.slice(0, count).map(({ name }) => name.length));
  const left = Math.min(longest * CHARACTER + 12, width * 0.4);
  const groups: Extent = [4, 4 + Math.max(count, 2) * ROW];
  const values: Extent = [left, width - 52];
  const nameLength = Math.floor((left - 8) / CHARACTER);
  return { ...common, height: groups[1] + LINE, groups, values, scale: linear(domain, values), nameLength };
}

/** True if values go up and groups to the right. */
export function standsUp(plot: Plot, type: ChartType): boolean {
  return type !== 'bar' || plot.unit !== undefined || plot.categories.every(isNumber);
}

function isNumber({ value }: { readonly value: unknown }): boolean {
  return typeof value === 'number' || value === null;
}

function spansOf(series: readonly Series[], isStacked: boolean): Extent[][] {
  const values = series.map(each => each.values);
  return isStacked ? stacked(values) : values.map(each => each.map(value => [0, value ?? 0]));
}

/** The middle of a group on its axis, in pixels. */
export function middleOf(index: number, { count, groups }: Frame): number {
  const { start, size } = band(index, count, groups);
  return start + size / 2;
}

/** The group at a place of the drawing; undefined outside. */
export function groupAt(place: number, { groups: [from, to], count }: Frame): number | undefined {
  const index = Math.floor(((place - from) / (to - from)) * count);
  return index >= 0 && index < count ? index : undefined;
}

/** A bar as the attributes of an SVG rectangle. Bars beside each other share the place of their group. */
export interface Bar {
  readonly series: number;
  readonly index: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function barsOf(plot: Plot, frame: Frame, isStacked: boolean): Bar[] {
  const beside = isStacked ? 1 : plot.series.length;
  return plot.series.flatMap(({ values }, series) =>
    values.slice(0, frame.count).flatMap((value, index) => {
      if (value === null) return [];
      const place = band(index, frame.count, frame.groups);
      const thick = Math.min(place.size / beside, 48);
      const start = place.start + (place.size - thick * beside) / 2 + (isStacked ? 0 : thick * series);
      const [a, b] = (frame.spans[series]?.[index] ?? [0, 0]).map(frame.scale) as [number, number];
      const [from, length] = [Math.min(a, b), Math.max(Math.abs(b - a), value === 0 ? 0 : 1)];
      const at = { series, index };
      return frame.isUpright
        ? [{ ...at, x: start, y: from, width: thick, height: length }]
        : [{ ...at, x: from, y: start, width: length, height: thick }];
    }),
  );
}
