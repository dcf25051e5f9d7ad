import { invalid } from '../kernel/errors.js';
import { sql } from '../sql/index.js';
import type { DeclarableType } from './column-type.js';
import { isCalendarDate, isCalendarDateSql } from './iso-date.js';

/** A day of the calendar without a time. A date-time is never cut down to one. */
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
