import { invalid } from '../kernel/errors.js';
import type { DeclarableType } from './column-type.js';
import { CALENDAR_DATE, isCalendarDate, toUtcInstant } from './iso-date.js';

/** An instant, kept to the millisecond and shown in UTC. Needs a session whose TimeZone is UTC. */
export const datetime: DeclarableType = {
  name: 'datetime',
  sqlType: 'timestamptz',
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
  toJson: sql => `to_char(${sql}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  fromJson: json => instantSql(`(${json} #>> '{}')`),
};

const TIME = '([01][0-9]|2[0-3]):[0-5][0-9]';
const PATTERN = `^${CALENDAR_DATE}[Tt]${TIME}(:[0-5][0-9]([.][0-9]+)?)?([Zz]|[+-]${TIME})$`;

/** `toUtcInstant` in SQL, but for texts in the year 0000 that an offset carries into 0001. */
function instantSql(text: string): string {
  // PostgreSQL itself would round the fraction, and refuses offsets from 16 hours.
  const local = `(left(${text}, 10) || ' ' || substring(${text} from '^.{11}([0-9:]+([.][0-9]{1,3})?)'))::timestamp`;
  const offset = `coalesce(substring(${text} from '[+-].{5}$'), '0')::interval`;
  const instant = `(${local} - ${offset}) AT TIME ZONE 'UTC'`;
  return `CASE WHEN ${text} ~ '${PATTERN}' THEN CASE WHEN ${instant} BETWEEN '0001-01-01T00:00:00Z' AND '9999-12-31T23:59:59.999Z' THEN ${instant} END END`;
}
