import { invalid } from '../../base/kernel/errors.js';
import { isCalendarDate, utcInstant } from '../../base/kernel/instant.js';
import { literal, type Sql, sql } from '../../base/sql/index.js';
import type { DeclarableType } from './column-type.js';

/** A day of the calendar without a time. A date-time is refused, not truncated. */
export const date: DeclarableType = {
  name: 'date',
  sqlType: sql`date`,
  castType: 'date',
  expects: 'a calendar date YYYY-MM-DD',
  family: 'scalar',
  instant: true,
  accept: value => (typeof value === 'string' && isCalendarDate(value) ? value : undefined),
  operand(value) {
    if (typeof value !== 'string') return undefined;
    if (!isCalendarDate(value)) throw invalid(`'${value.slice(0, 40)}' is not a calendar date YYYY-MM-DD`);
    return value;
  },
  toJson: value => value, // PostgreSQL's JSON shows dates as YYYY-MM-DD, whatever DateStyle says
  sent: 'plain',
  fromJson: json =>
    sql`CASE WHEN ${isCalendarDateSql(sql`(${json} #>> '{}')`)} THEN (${json} #>> '{}')::date END`,
};

/** An instant, kept to the millisecond and shown in UTC. Needs a session whose TimeZone is UTC. */
export const datetime: DeclarableType = {
  name: 'datetime',
  sqlType: sql`timestamptz`,
  castType: 'timestamptz',
  expects: 'an ISO 8601 date-time with offset, such as 2026-01-31T09:30:00Z',
  family: 'scalar',
  instant: true,
  accept: value => (typeof value === 'string' ? utcInstant(value) : undefined),
  operand(value) {
    if (typeof value !== 'string') return undefined;
    // In a filter a day means its first instant in UTC: `{created_at: {$gte: "2026-01-31"}}`.
    const instant = utcInstant(isCalendarDate(value) ? `${value}T00:00:00Z` : value);
    if (instant === undefined) {
      throw invalid(
        `'${value.slice(0, 40)}' is not an ISO 8601 date-time with offset, such as 2026-01-31T09:30:00Z`,
      );
    }
    return instant;
  },
  toJson: instantText,
  sent: 'instant',
  fromJson: json => toUtcInstantSql(sql`(${json} #>> '{}')`),
};

/**
 * Takes half the time of to_char. The microsecond makes PostgreSQL write all digits of the fraction; substr removes it.
 */
function instantText(value: Sql): Sql {
  return sql`substr(to_json(${value} + '1us'::interval)::text, 2, 23) || 'Z'`;
}

const DAY_PATTERN =
  '([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))' +
  '|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)';
const TIME_PATTERN = '([01][0-9]|2[0-3]):[0-5][0-9]';
const INSTANT_PATTERN = `${DAY_PATTERN}[Tt]${TIME_PATTERN}(:[0-5][0-9]([.][0-9]+)?)?([Zz]|[+-]${TIME_PATTERN})`;

const DAY = literal(`^${DAY_PATTERN}$`);
const INSTANT_TEXT = literal(`^${INSTANT_PATTERN}$`);

/** `isCalendarDate` in SQL: PostgreSQL's own conversion accepts many other forms and fails for the rest. */
function isCalendarDateSql(text: Sql): Sql {
  return sql`${text} ~ ${DAY} AND left(${text}, 4) <> '0000'`;
}

/**
 * `utcInstant` in SQL, except for texts of the year 0000 whose offset moves them into 0001. PostgreSQL's own conversion
 * would round the fraction and refuses offsets from 16 hours.
 */
function toUtcInstantSql(text: Sql): Sql {
  const time = sql`split_part(translate(substr(${text}, 12, 12), 'Zz-', '+++'), '+', 1)`;
  const offset = sql`CASE WHEN left(right(${text}, 6), 1) IN ('+', '-') THEN right(${text}, 6) ELSE '0' END::interval`;
  const instant = sql`((left(${text}, 10) || ' ' || ${time})::timestamp - ${offset}) AT TIME ZONE 'UTC'`;
  // Only in the first and the last year can an offset lead out of the range.
  const inRange = sql`left(${text}, 4) NOT IN ('0001', '9999') OR ${instant} BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z'`;
  return sql`CASE WHEN ${text} ~ ${INSTANT_TEXT} AND left(${text}, 4) <> '0000' THEN CASE WHEN ${inRange} THEN ${instant} END END`;
}
