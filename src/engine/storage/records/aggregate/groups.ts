import { invalid } from '../../../../base/kernel/errors.js';
import { Cte, literal, param, type Sql, sql } from '../../../../base/sql/index.js';
import { COLUMN_TYPES, type ColumnType } from '../../../columns/index.js';
import type { FieldExpression, FieldPath } from '../../../filter/index.js';
import type { AggregateInputs, ResultField } from './fields.js';

export const PERIODS = ['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const;

/** A group is all values in a period of the calendar. */
export interface Period {
  readonly every: (typeof PERIODS)[number];
  /** Name of the time zone; undefined is UTC. A date column has none. */
  readonly zone: string | undefined;
}

/** A group is all numbers from a multiple of `step` up to the next one. */
export interface Range {
  readonly step: number;
}

/** What records are grouped by: the values of a field, their periods or their ranges. */
export interface GroupKey {
  readonly path: FieldPath;
  /** The name in the results. */
  readonly name: string;
  readonly by?: Period | Range | undefined;
}

/** Maximum of groups from the first to the last when empty ones are added. */
export const MAX_FILLED = 10_000;

const UTC = 'UTC';
const { integer, double, date, datetime, json } = COLUMN_TYPES;

/** The field that records are grouped by. Throws 400 for a column whose values have no periods or ranges. */
export function groupField({ path, name, by }: GroupKey, inputs: AggregateInputs): ResultField {
  if (by === undefined) return { ...inputs.field(path), name };
  const field = inputs.expression(path);
  const [value, type] = 'step' in by ? rangeOf(by, field, path) : periodOf(by, field, path);
  const column = inputs.column(value);
  return { name, value: column, order: column, type };
}

type Group = [value: Sql, type: ColumnType];

function rangeOf({ step }: Range, { sql: field, type = json }: FieldExpression, path: FieldPath): Group {
  const isNumber = type === integer || type === double;
  if (!isNumber && type !== json) throw misfit(path, type, "'step' needs numbers");
  const width = param(step, 'double precision');
  const number = isNumber ? sql`${field}::float8` : double.fromJson(field);
  return [sql`floor(${number} / ${width}) * ${width}`, double];
}

/**
 * Periods from a day on are days of the calendar in the zone, shorter ones instants: when clocks are set back, two hours
 * have the same local time. In flexible fields a day is the same in every zone, and begins in UTC for shorter periods.
 */
function periodOf(period: Period, { sql: field, type = json }: FieldExpression, path: FieldPath): Group {
  const { every, zone = UTC } = period;
  const unit = literal(every);
  if (type === date) {
    if (isShort(every)) throw misfit(path, type, `'every' cannot be ${every}`);
    if (period.zone !== undefined) throw misfit(path, type, "'zone' has no meaning for it");
    return [sql`date_trunc(${unit}, ${field}::timestamp)::date`, date];
  }
  if (type !== datetime && type !== json) throw misfit(path, type, "'every' needs dates or date-times");
  const place = param(zone, 'text');
  const day = sql`${date.fromJson(field)}::timestamp`;
  const instant = type === datetime ? field : datetime.fromJson(field);
  if (isShort(every)) {
    const any = type === datetime ? instant : sql`coalesce(${instant}, ${day} AT TIME ZONE 'UTC')`;
    const start = sql`date_trunc(${unit}, ${any}, ${place})`;
    return [
      zone === UTC ? start : sql`CASE WHEN ${any} IS NOT NULL THEN greatest(${start}, ${FIRST}) END`,
      datetime,
    ];
  }
  const local = sql`${instant} AT TIME ZONE ${place}`;
  const any = type === datetime ? local : sql`coalesce(${day}, ${local})`;
  const known = sql`least(greatest(${any}, ${FIRST}::timestamp), ${LAST}::timestamp)`;
  return [
    zone === UTC
      ? sql`date_trunc(${unit}, ${any})::date`
      : sql`CASE WHEN ${any} IS NOT NULL THEN date_trunc(${unit}, ${known})::date END`,
    date,
  ];
}

/** The first and the last day that a date can have. In a zone, an instant may lie a day before or after them. */
const FIRST = sql`'0001-01-01'::timestamptz`;
const LAST = sql`'9999-12-31'::timestamptz`;

function isShort(every: Period['every']): boolean {
  return every === 'minute' || every === 'hour';
}

function misfit(path: FieldPath, { name }: ColumnType, reason: string): Error {
  return invalid(`group_by: ${reason}, and the column '${path.join('.')}' is ${name}`);
}

const INTERVALS = {
  minute: sql`'1 minute'::interval`,
  // Offsets of zones are multiples of a quarter of an hour, so each hour of a zone contains one of these instants.
  hour: sql`'15 minutes'::interval`,
  day: sql`'1 day'::interval`,
  week: sql`'7 days'::interval`,
  month: sql`'1 month'::interval`,
  quarter: sql`'3 months'::interval`,
  year: sql`'1 year'::interval`,
} as const;

/**
 * The groups from the first to the last in `grouped`, each as `start`, and SQL that is true when there are more than
 * MAX_FILLED: the series then lacks some. `value`: the column of the groups.
 */
export function seriesOf(by: Period | Range, grouped: Cte, value: Sql): { series: Cte; isTooLong: Sql } {
  const ends = sql`(SELECT min(${value}) AS low, max(${value}) AS high FROM ${grouped}) ends`;
  const [count, start] = 'step' in by ? rangesIn(by) : periodsIn(by);
  const series = new Cte(
    'series',
    sql`SELECT DISTINCT start FROM ${ends} CROSS JOIN LATERAL generate_series(0, ${count}) AS n
      CROSS JOIN LATERAL (SELECT ${start} AS start) each WHERE start BETWEEN low AND high`,
  );
  // Far from 0, doubles that are next to each other can be further apart than a step, so ranges are not counted.
  const isTooLong =
    'step' in by
      ? sql`(SELECT ${distance(by)} >= ${literal(MAX_FILLED)} FROM ${ends})`
      : sql`(SELECT count(*) > ${literal(MAX_FILLED)} FROM ${series})`;
  return { series, isTooLong };
}

/** SQL of the number of ranges from the first to the last one. */
function distance({ step }: Range): Sql {
  const width = param(step, 'double precision');
  return sql`round(high / ${width}) - round(low / ${width})`;
}

/** SQL of the number of the last group, and of the beginning of group `n`. */
function rangesIn(by: Range): [Sql, Sql] {
  const width = param(by.step, 'double precision');
  return [
    sql`least(${distance(by)}, ${literal(MAX_FILLED)})::integer`,
    sql`(round(low / ${width}) + n) * ${width}`,
  ];
}

function periodsIn({ every, zone = UTC }: Period): [Sql, Sql] {
  const next = sql`low + n * ${INTERVALS[every]}`;
  if (!isShort(every)) return [literal(MAX_FILLED), sql`(${next})::date`];
  const perGroup = every === 'hour' ? 4 : 1;
  return [
    // One more, because the first group may begin before the first day.
    literal((MAX_FILLED + 1) * perGroup),
    sql`date_trunc(${literal(every)}, ${next}, ${param(zone, 'text')})`,
  ];
}
