import { invalid } from '../kernel/errors.js';
import { sql } from '../sql/index.js';
import type { DeclarableType } from './column-type.js';
import { isCalendarDate, toUtcInstant, toUtcInstantSql } from './iso-date.js';

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
    // A filter may name a day for its first instant in UTC: `{created_at: {$gte: "2026-01-31"}}`.
    const instant = toUtcInstant(isCalendarDate(value) ? `${value}T00:00:00Z` : value);
    if (instant === undefined) {
      throw invalid(
        `'${value.slice(0, 40)}' is not an ISO 8601 date-time with offset, such as 2026-01-31T09:30:00Z`,
      );
    }
    return instant;
  },
  // Half the time of to_char. The microsecond makes PostgreSQL write all digits of the fraction; it is cut off again.
  toJson: value => sql`substr(to_json(${value} + '1us'::interval)::text, 2, 23) || 'Z'`,
  fromJson: json => toUtcInstantSql(sql`(${json} #>> '{}')`),
};
