import {
  CHART_TYPES,
  type Chart,
  type ChartFilter,
  type ChartType,
  type Figure,
  groupsOf,
  type Period,
} from './chart.js';
import type { ColumnTypes } from './read-chart.js';

/** A chart as the fields of the editor. */
export interface Draft {
  readonly title: string;
  readonly type: ChartType;
  readonly figure: Figure;
  /** The column that the figure is computed from; empty for a count of records. */
  readonly column: string;
  /** The column of the axis; empty for one figure over all records. */
  readonly group: string;
  readonly every: Period;
  /** The column that splits each group into series; empty for none. */
  readonly split: string;
  readonly filter: ChartFilter | undefined;
  readonly order: Order;
  /** Groups at most; empty for all. */
  readonly limit: string;
}

export const ORDERS = ['group', '-group', 'figure', '-figure'] as const;
type Order = (typeof ORDERS)[number];

export const NEW_DRAFT: Draft = {
  title: '',
  type: 'bar',
  figure: 'count',
  column: '',
  group: '',
  every: 'auto',
  split: '',
  filter: undefined,
  order: '-figure',
  limit: '10',
};

/** The system fields that a chart may group by and compute from. */
export const SYSTEM_TYPES: ColumnTypes = { created_at: 'datetime', updated_at: 'datetime' };

export function isTime(type: string | undefined): boolean {
  return type === 'datetime' || type === 'date';
}

function isNumber(type: string | undefined): boolean {
  return type === 'integer' || type === 'double';
}

/** True if periods group this draft: its axis is a column of dates. */
export function hasPeriods({ group }: Draft, types: ColumnTypes): boolean {
  return group !== '' && isTime(types[group]);
}

/** The columns that a figure can be computed from. */
export function columnsFor(figure: Figure, types: ColumnTypes): string[] {
  return Object.keys(types).filter(name => {
    const type = types[name];
    return figure === 'count' || isNumber(type) || ((figure === 'min' || figure === 'max') && isTime(type));
  });
}

/** The kinds of drawing that can show a draft. */
export function typesFor({ figure, column, group, split }: Draft, types: ColumnTypes): ChartType[] {
  const isPlain = isTime(types[column]) && (figure === 'min' || figure === 'max');
  return CHART_TYPES.filter(type => {
    if (type === 'table') return true;
    if (type === 'number') return group === '';
    if (group === '' || isPlain) return false;
    return type !== 'pie' || ((figure === 'count' || figure === 'sum') && split === '');
  });
}

/** Why a draft cannot be drawn yet; undefined if it can. */
export function problemOf({ figure, column, limit, group, split }: Draft): 'column' | 'limit' | undefined {
  if (figure !== 'count' && column === '') return 'column';
  if (group !== '' && split === '' && limit !== '' && !/^[1-9]\d{0,2}$|^1000$/.test(limit)) return 'limit';
  return undefined;
}

/** What a draft computes and how it is drawn. A type that cannot show the draft becomes one that can. */
export function chartFrom(draft: Draft, types: ColumnTypes, id: string): Chart {
  const { figure, column, group, split, filter, order, limit } = draft;
  const output = column === '' ? figure : `${figure}_${column}`.replaceAll('.', '_');
  const possible = typesFor(draft, types);
  const withPeriods = hasPeriods(draft, types);
  const isSplit = group !== '' && split !== '' && split !== group;
  const isRanked = group !== '' && !withPeriods && !isSplit;
  return {
    id,
    title: draft.title.trim(),
    type: possible.includes(draft.type) ? draft.type : (possible.find(type => type !== 'table') ?? 'table'),
    aggregate: {
      steps: [{ type: figure, ...(column !== '' && { input_field: column }), output_field: output }],
      ...(group !== '' && { group_by: isSplit ? [group, split] : group }),
      ...(filter !== undefined && Object.keys(filter).length > 0 && { filter }),
      ...(isRanked && order !== 'group' && { sort: sortOf(order, group, output) }),
      ...(isRanked && limit !== '' && { limit: Number(limit) }),
    },
    ...(withPeriods && { every: draft.every }),
  };
}

function sortOf(order: Order, group: string, output: string): Record<string, 1 | -1> {
  if (order === 'figure' || order === '-figure') return { [output]: order === 'figure' ? 1 : -1 };
  return { [group]: order === '-group' ? -1 : 1 };
}

/** The fields of the editor for a chart that it can edit. */
export function draftOf(chart: Chart): Draft {
  const [group = '', split = ''] = groupsOf(chart);
  const [step] = chart.aggregate.steps;
  const { filter, limit } = chart.aggregate;
  return {
    title: chart.title,
    type: chart.type,
    figure: step?.type ?? 'count',
    column: step?.input_field ?? '',
    group,
    every: chart.every ?? 'auto',
    split,
    filter,
    order: orderOf(chart, group),
    limit: limit === undefined ? '' : String(limit),
  };
}

function orderOf({ aggregate: { sort = {} } }: Chart, group: string): Order {
  const [field] = Object.keys(sort);
  if (field === undefined) return 'group';
  const name = field === group ? 'group' : 'figure';
  return sort[field] === 1 ? name : `-${name}`;
}
