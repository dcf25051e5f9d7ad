import { invalid } from '../kernel/errors.js';
import { sql } from '../sql/index.js';
import type { DeclarableType } from './column-type.js';
import { isCalendarDate, isCalendarDateSql, toUtcInstant, toUtcInstantSql } from './iso-date.js';

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
  accept: value => (typeof value === 'string' ? toUtcInstant(value) : undefined),
  operand(value) {
    if (typeof value !== 'string') return undefined;
    // In a filter a day means its first instant in UTC: `{created_at: {$gte: "2026-01-31"}}`.
    const instant = toUtcInstant(isCalendarDate(value) ? `${value}T00:00:00Z` : value);
    if (instant === undefined) {
      throw invalid(
        `'${value.slice(0, 40)}' is not an ISO 8601 date-time with offset, such as 2026-01-31T09:30:00Z`,
      );
    }
    return instant;
  },
  // Takes half the time of to_char. The microsecond makes PostgreSQL write all digits of the fraction; substr removes it.
  toJson: value => sql`substr(to_json(${value} + '1us'::interval)::text, 2, 23) || 'Z'`,
  fromJson: json => toUtcInstantSql(sql`(${json} #>> '{}')`),
};
