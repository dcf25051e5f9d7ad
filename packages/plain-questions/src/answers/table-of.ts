import type { AggregateData, CountData, NamedRead, SeveralPlan } from '../plan.js';

export type ReadData = CountData | AggregateData;

type Row = Readonly<Record<string, unknown>>;

/** The results of several reads as one table, with a row for each read or for each of its groups. */
export function tableOf({ by, reads, percent, sort }: SeveralPlan, data: readonly ReadData[]): AggregateData {
  const rows = sorted(
    reads.flatMap((read, index) => rowsOf(by, read, data[index]!)),
    sort,
  );
  if (!percent) return { results: rows };
  const whole = figureOf(rows.at(-1), reads.at(-1)!);
  return { results: rows.map(row => ({ ...row, percent: percentOf(figureOf(row, reads.at(-1)!), whole) })) };
}

function rowsOf(by: string, { name }: NamedRead, data: ReadData): Row[] {
  const rows: readonly Row[] = 'results' in data ? data.results : [{ count: data.count }];
  return rows.map(row => ({ [by]: name, ...row }));
}

/** Rows without a figure come last. */
function sorted(rows: Row[], sort: SeveralPlan['sort']): Row[] {
  const [name, direction] = Object.entries(sort ?? {})[0] ?? [];
  if (name === undefined || direction === undefined) return rows;
  const rankOf = (row: Row) =>
    row[name] === null ? Number.POSITIVE_INFINITY : Number(row[name]) * direction;
  return rows.toSorted((a, b) => (rankOf(a) === rankOf(b) ? 0 : rankOf(a) < rankOf(b) ? -1 : 1));
}

/** The figure from which percentages are computed. */
function figureOf(row: Row | undefined, { plan }: NamedRead): number | null {
  const name = plan.operation === 'count' ? 'count' : plan.steps[0]!.output_field;
  const figure = row?.[name];
  return typeof figure === 'number' ? figure : null;
}

function percentOf(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : Math.round((part / whole) * 10_000) / 100;
}
