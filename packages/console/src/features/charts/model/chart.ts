/** Charts as they are stored: what to compute, and how to draw it. Pure. */

export const CHART_TYPES = ['bar', 'line', 'area', 'pie', 'table', 'number'] as const;
export type ChartType = (typeof CHART_TYPES)[number];

export const FIGURES = ['count', 'sum', 'avg', 'min', 'max'] as const;
export type Figure = (typeof FIGURES)[number];

/** Periods by which dates are grouped. `auto`: the shortest one that needs at most 40 periods. */
export const PERIODS = ['auto', 'hour', 'day', 'week', 'month', 'year'] as const;
export type Period = (typeof PERIODS)[number];

interface Step {
  readonly type: Figure;
  readonly input_field?: string;
  readonly output_field: string;
}

export type ChartFilter = Readonly<Record<string, unknown>>;

/** The body of an aggregate, without `having`. */
export interface ChartAggregate {
  readonly steps: readonly Step[];
  readonly group_by?: string | readonly string[];
  readonly filter?: ChartFilter;
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly limit?: number;
}

/** A chart that the console draws. `every` groups the first field of `group_by` by periods. */
export interface Chart {
  readonly id: string;
  readonly title: string;
  readonly type: ChartType;
  readonly aggregate: ChartAggregate;
  readonly every?: Period;
}

const AGGREGATE_FIELDS = ['steps', 'group_by', 'filter', 'sort', 'limit'];
const MAX_GROUPS = 50_000;

/**
 * The stored chart if the console can draw it. Undefined for every other shape, which some other program stored and
 * interprets.
 */
export function chartOf(stored: unknown): Chart | undefined {
  if (!isObject(stored) || !isObject(stored.aggregate)) return undefined;
  const { id, title, type, every, aggregate } = stored;
  const isChart =
    typeof id === 'string' &&
    typeof title === 'string' &&
    CHART_TYPES.includes(type as never) &&
    (every === undefined || PERIODS.includes(every as never)) &&
    isAggregate(aggregate);
  return isChart ? (stored as unknown as Chart) : undefined;
}

function isAggregate(aggregate: Record<string, unknown>): boolean {
  const { steps, group_by, filter, sort, limit } = aggregate;
  return (
    Object.keys(aggregate).every(name => AGGREGATE_FIELDS.includes(name)) &&
    Array.isArray(steps) &&
    steps.length > 0 &&
    steps.every(isStep) &&
    (group_by === undefined || typeof group_by === 'string' || isNames(group_by)) &&
    (filter === undefined || isObject(filter)) &&
    (sort === undefined || (isObject(sort) && Object.values(sort).every(way => way === 1 || way === -1))) &&
    (limit === undefined || (Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= MAX_GROUPS))
  );
}

function isStep(step: unknown): boolean {
  return (
    isObject(step) &&
    FIGURES.includes(step.type as never) &&
    typeof step.output_field === 'string' &&
    (step.input_field === undefined ? step.type === 'count' : typeof step.input_field === 'string')
  );
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every(name => typeof name === 'string');
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields that a chart groups by, the axis first. */
export function groupsOf({ aggregate: { group_by } }: Pick<Chart, 'aggregate'>): readonly string[] {
  if (group_by === undefined) return [];
  return typeof group_by === 'string' ? [group_by] : group_by;
}

/** True if the editor can show everything that the chart computes: one figure, and at most two groups. */
export function isEditable(chart: Chart): boolean {
  return chart.aggregate.steps.length === 1 && groupsOf(chart).length <= 2;
}

/** An id for a new chart. `crypto.randomUUID` is missing in pages that were not loaded over https. */
export function newChartId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}
