import type { Chart } from './chart.js';
import type { ColumnTypes } from './read-chart.js';

/** A chart that an empty page offers, without title: the page names it in its language. */
export interface Proposal {
  readonly kind: 'overTime' | 'byText' | 'average';
  /** The column that the title names. */
  readonly column: string;
  readonly chart: Omit<Chart, 'title'>;
}

/** A text column with at most so many values is worth a bar for each. */
const FEW_VALUES = 20;
/** Columns whose values are counted, at most, to find one with few values. */
const MAX_ASKED = 8;

/**
 * Up to three charts that fit the columns: the number of records over time, the number by the first text column with few
 * values, and the average of the first number. `distinct` counts the values of a column.
 */
export async function proposalsFor(
  columnTypes: ColumnTypes,
  distinct: (column: string) => Promise<number>,
): Promise<Proposal[]> {
  const named = (...types: string[]) =>
    Object.keys(columnTypes).filter(name => types.includes(columnTypes[name] as string));
  const time = named('datetime', 'date')[0] ?? 'created_at';
  const few = await firstWithFewValues(named('text').slice(0, MAX_ASKED), distinct);
  const number = named('integer', 'double').find(name => !/(^|_)id$/i.test(name));
  return [
    proposal('overTime', time, {
      type: 'bar',
      aggregate: { steps: [{ type: 'count', output_field: 'count' }], group_by: time },
      every: 'auto',
    }),
    ...(few === undefined
      ? []
      : [
          proposal('byText', few, {
            type: 'bar',
            aggregate: {
              steps: [{ type: 'count', output_field: 'count' }],
              group_by: few,
              sort: { count: -1 },
              limit: 10,
            },
          }),
        ]),
    ...(number === undefined
      ? []
      : [
          proposal('average', number, {
            type: 'number',
            aggregate: { steps: [{ type: 'avg', input_field: number, output_field: `avg_${number}` }] },
          }),
        ]),
  ];
}

function proposal(kind: Proposal['kind'], column: string, chart: Omit<Chart, 'title' | 'id'>): Proposal {
  return { kind, column, chart: { id: `proposed-${kind}`, ...chart } };
}

async function firstWithFewValues(
  columns: readonly string[],
  distinct: (column: string) => Promise<number>,
): Promise<string | undefined> {
  for (const column of columns) {
    const values = await distinct(column);
    if (values > 1 && values <= FEW_VALUES) return column;
  }
  return undefined;
}
