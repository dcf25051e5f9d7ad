import { type Chart, type ChartAggregate, groupsOf } from './chart.js';
import { type Periods, periodsBetween, type Unit } from './periods.js';

/** One result of an aggregate: values by the names of groups and figures. */
export type ResultRow = Readonly<Record<string, unknown>>;

/** Computes one aggregate. */
export type Ask = (aggregate: ChartAggregate) => Promise<readonly ResultRow[]>;

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

/**
 * Reads what a chart shows. The aggregate of the service groups by values, not by periods. So a chart by periods asks
 * for the first and the last instant, and then computes its figures for each period; `ask` decides how many at a time.
 */
export async function readChart(chart: Chart, columnTypes: ColumnTypes, ask: Ask): Promise<ChartData> {
  const { aggregate, every } = chart;
  const [field, ...others] = groupsOf(chart);
  if (every === undefined || field === undefined) return readGroups(aggregate, ask);
  const periods = await periodsOf(chart, field, ask);
  if (periods === undefined) return { rows: [], isCut: false };
  const text = columnTypes[field] === 'date' ? dateText : instantText;
  const starts = periods.edges.slice(0, -1);
  const rows = await Promise.all(
    starts.map(async (start, index) => {
      const range = { [field]: { $gte: text(start), $lt: text(periods.edges[index + 1] as number) } };
      const found = await ask({
        steps: aggregate.steps,
        ...(others.length > 0 && { group_by: others, limit: MAX_GROUPS_READ }),
        filter: both(aggregate.filter, range),
      });
      return found.map(row => ({ ...row, [field]: new Date(start).toISOString() }));
    }),
  );
  return { rows: rows.flat(), unit: periods.unit, starts, isCut: periods.isCut };
}

/** The types of columns by name, as the schema has them. */
export type ColumnTypes = Readonly<Record<string, string | undefined>>;

async function readGroups(aggregate: ChartAggregate, ask: Ask): Promise<ChartData> {
  if (aggregate.limit !== undefined || aggregate.group_by === undefined) {
    return { rows: await ask(aggregate), isCut: false };
  }
  const rows = await ask({ ...aggregate, limit: MAX_GROUPS_READ + 1 });
  return { rows: rows.slice(0, MAX_GROUPS_READ), isCut: rows.length > MAX_GROUPS_READ };
}

/** Undefined if no record has a value in the field. */
async function periodsOf({ aggregate, every }: Chart, field: string, ask: Ask): Promise<Periods | undefined> {
  const [row] = await ask({
    steps: [
      { type: 'min', input_field: field, output_field: 'first' },
      { type: 'max', input_field: field, output_field: 'last' },
    ],
    ...(aggregate.filter !== undefined && { filter: aggregate.filter }),
  });
  const [first, last] = [Date.parse(String(row?.first)), Date.parse(String(row?.last))];
  if (Number.isNaN(first) || Number.isNaN(last)) return undefined;
  return periodsBetween(first, last, every ?? 'auto');
}

/** A filter that matches what two filters match. */
function both(filter: ChartAggregate['filter'], range: Readonly<Record<string, unknown>>) {
  return filter === undefined || Object.keys(filter).length === 0 ? range : { $and: [filter, range] };
}

function instantText(instant: number): string {
  return new Date(instant).toISOString();
}

function dateText(instant: number): string {
  return instantText(instant).slice(0, 10);
}
