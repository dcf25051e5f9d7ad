import { chartOf } from './chart.js';

/** All charts of a collection as they are stored, those of other programs too. */
export type StoredCharts = readonly Readonly<Record<string, unknown>>[];

/** A change to the charts of a collection, which can be made again on a newer list of charts. */
export type ChartsChange = (charts: StoredCharts) => StoredCharts;

type Stored = StoredCharts[number];

function isChart(stored: Stored, id: string): boolean {
  return chartOf(stored) !== undefined && stored.id === id;
}

/** Replaces the chart of this id, and keeps its other fields; adds it if there is none. */
export function withChart(chart: object & { readonly id: string }): ChartsChange {
  return charts =>
    charts.some(each => isChart(each, chart.id))
      ? charts.map(each => (isChart(each, chart.id) ? { ...withoutEvery(each), ...chart } : each))
      : [...charts, { ...chart }];
}

/** `every` is the only optional field of a chart: a chart that has it no more must not keep the old one. */
function withoutEvery({ every: _every, ...stored }: Stored): Stored {
  return stored;
}

export function withoutChart(id: string): ChartsChange {
  return charts => charts.filter(each => !isChart(each, id));
}

/** Puts a copy of a chart behind it. */
export function withCopy(id: string, copy: { readonly id: string; readonly title: string }): ChartsChange {
  return charts => charts.flatMap(each => (isChart(each, id) ? [each, { ...each, ...copy }] : [each]));
}

/** Moves a chart before or behind the next chart that the console draws. Charts of other programs keep their order. */
export function moved(id: string, by: -1 | 1): ChartsChange {
  return charts => {
    const from = charts.findIndex(each => isChart(each, id));
    if (from < 0) return charts;
    let to = from + by;
    while (to >= 0 && to < charts.length && chartOf(charts[to]) === undefined) to += by;
    if (to < 0 || to >= charts.length) return charts;
    const rest = charts.filter((_, index) => index !== from);
    return [...rest.slice(0, to), charts[from] as Stored, ...rest.slice(to)];
  };
}

/** What differs between two lists of charts, by title. */
export interface Differences {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

export function differences(before: StoredCharts, now: StoredCharts): Differences {
  const [old, current] = [byKey(before), byKey(now)];
  const titles = (keys: string[], from: Map<string, Stored>) =>
    keys.map(key => String(from.get(key)?.title ?? key));
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  return {
    added: titles(
      [...current.keys()].filter(key => !old.has(key)),
      current,
    ),
    changed: titles(
      [...current.keys()].filter(key => old.has(key) && !same(old.get(key), current.get(key))),
      current,
    ),
    removed: titles(
      [...old.keys()].filter(key => !current.has(key)),
      old,
    ),
  };
}

function byKey(charts: StoredCharts): Map<string, Stored> {
  return new Map(
    charts.map(chart => [typeof chart.id === 'string' ? chart.id : JSON.stringify(chart), chart]),
  );
}
