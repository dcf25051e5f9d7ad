import { invalid } from '../kernel/errors.js';
import { literal, type Sql, sql } from '../sql/index.js';
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

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-])(\d\d):(\d\d))$/i;
/** Most texts have the form in which they are stored, and a day that every month has. They need no conversion. */
const STORED_DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/;
const STORED_INSTANT =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MINUTE = 60_000;

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
 * `toUtcInstant` in SQL, except for texts of the year 0000 whose offset moves them into 0001. PostgreSQL's own conversion
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

/** True for a day of the (proleptic Gregorian) calendar written as `YYYY-MM-DD`, years 0001–9999. */
function isCalendarDate(text: string): boolean {
  return !text.startsWith('0000') && isDay(text);
}

/**
 * Converts an ISO 8601 date-time with offset to UTC, `YYYY-MM-DDTHH:mm:ss.sssZ`, truncated (not rounded) to milliseconds.
 * Undefined for other text, without an offset, or outside of the years 0001–9999.
 */
function toUtcInstant(text: string): string | undefined {
  if (STORED_INSTANT.test(text) && !text.startsWith('0000')) return text;
  const [match, day, hour, minute, second = '00', fraction = '', sign, offsetHour, offsetMinute] =
    INSTANT.exec(text) ?? [];
  if (match === undefined || !isDay(day!)) return undefined;
  if (hour! > '23' || minute! > '59' || second > '59') return undefined;
  if (sign !== undefined && (offsetHour! > '23' || offsetMinute! > '59')) return undefined;
  const local = Date.parse(`${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
  const offset = sign === undefined ? 0 : (Number(offsetHour) * 60 + Number(offsetMinute)) * MINUTE;
  const utc = new Date(sign === '-' ? local + offset : local - offset).toISOString();
  return /^(?!0000)\d{4}-/.test(utc) ? utc : undefined;
}

/** `Date.parse` alone would read 30 February as 2 March. */
function isDay(text: string): boolean {
  if (STORED_DATE.test(text)) return true;
  const [match, year, month, day] = DATE.exec(text) ?? [];
  if (match === undefined) return false;
  const leap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0);
  const days = month === '02' && leap ? 29 : (DAYS[Number(month) - 1] ?? 0);
  return Number(day) >= 1 && Number(day) <= days;
}
