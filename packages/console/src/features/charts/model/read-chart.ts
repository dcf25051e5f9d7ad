import { type Chart, type ChartAggregate, groupsOf } from './chart.js';
import { type Latest, latestPeriods, shortestUnit, type Unit } from './periods.js';

/** One result of an aggregate: values by the names of groups and figures. */
export type ResultRow = Readonly<Record<string, unknown>>;

/** The body of an aggregate that reads a chart. */
export interface ChartRequest extends Omit<ChartAggregate, 'group_by'> {
  readonly group_by?: string | readonly (string | { readonly field: string; readonly every: Unit })[];
}

/** Computes one aggregate. */
export type Ask = (request: ChartRequest) => Promise<readonly ResultRow[]>;

export interface ChartData {
  readonly rows: readonly ResultRow[];
  /** The unit of the periods, if the chart groups by periods. Rows then have the beginning of theirs. */
  readonly unit?: Unit;
  /** All periods, also those without rows. */
  readonly starts?: readonly number[];
  /** True if there are more groups or earlier periods than were read. */
  readonly isCut: boolean;
}

/** The most groups of a chart without a limit of its own. */
export const MAX_GROUPS_READ = 1_000;

/** The types of columns by name, as the schema has them. */
export type ColumnTypes = Readonly<Record<string, string | undefined>>;

/** Reads what a chart shows. For automatic periods it asks for the first and the last instant before. */
export async function readChart(chart: Chart, ask: Ask): Promise<ChartData> {
  const { aggregate, every } = chart;
  const [field, ...others] = groupsOf(chart);
  if (every === undefined || field === undefined) return readGroups(aggregate, ask);
  const unit = every === 'auto' ? await unitFor(chart, field, ask) : every;
  if (unit === undefined) return { rows: [], isCut: false };
  const found = await ask({
    steps: aggregate.steps,
    group_by: [{ field, every: unit }, ...others],
    filter: both(aggregate.filter, { [field]: { $ne: null } }),
    sort: { [field]: -1 },
    limit: MAX_GROUPS_READ + 1,
  });
  const periods = latestPeriods(
    found.map(row => Date.parse(String(row[field]))),
    unit,
    found.length > MAX_GROUPS_READ,
  );
  return { rows: rowsOf(chart, field, found, periods), unit, starts: periods.starts, isCut: periods.isCut };
}

/** The results of the periods in their order. A chart without further groups has a row for each period. */
function rowsOf(chart: Chart, field: string, found: readonly ResultRow[], { starts }: Latest): ResultRow[] {
  const byStart = new Map(starts.map(start => [start, [] as ResultRow[]]));
  for (const row of found) {
    const start = Date.parse(String(row[field]));
    byStart.get(start)?.push({ ...row, [field]: new Date(start).toISOString() });
  }
  const isSplit = groupsOf(chart).length > 1;
  return [...byStart].flatMap(([start, rows]) =>
    rows.length > 0 || isSplit ? rows : [{ [field]: new Date(start).toISOString(), ...nothing(chart) }],
  );
}

/** The figures of no records. */
function nothing({ aggregate }: Chart): ResultRow {
  const isZero = ({ type }: ChartAggregate['steps'][number]) => type === 'count' || type === 'sum';
  return Object.fromEntries(aggregate.steps.map(step => [step.output_field, isZero(step) ? 0 : null]));
}

async function readGroups(aggregate: ChartAggregate, ask: Ask): Promise<ChartData> {
  if (aggregate.limit !== undefined || aggregate.group_by === undefined) {
    return { rows: await ask(aggregate), isCut: false };
  }
  const rows = await ask({ ...aggregate, limit: MAX_GROUPS_READ + 1 });
  return { rows: rows.slice(0, MAX_GROUPS_READ), isCut: rows.length > MAX_GROUPS_READ };
}

/** Undefined if no record has a value in the field. */
async function unitFor({ aggregate }: Chart, field: string, ask: Ask): Promise<Unit | undefined> {
  const [row] = await ask({
    steps: [
      { type: 'min', input_field: field, output_field: 'first' },
      { type: 'max', input_field: field, output_field: 'last' },
    ],
    ...(aggregate.filter !== undefined && { filter: aggregate.filter }),
  });
  const [first, last] = [Date.parse(String(row?.first)), Date.parse(String(row?.last))];
  return Number.isNaN(first) || Number.isNaN(last) ? undefined : shortestUnit(first, last);
}

/** A filter that matches what two filters match. */
function both(filter: ChartAggregate['filter'], other: Readonly<Record<string, unknown>>) {
  return filter === undefined || Object.keys(filter).length === 0 ? other : { $and: [filter, other] };
}
