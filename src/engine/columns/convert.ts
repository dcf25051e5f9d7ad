import { literal, type Sql, sql } from '../../base/sql/index.js';
import type { DeclarableType } from './column-type.js';

const INTEGER = literal('^(0|-?[1-9][0-9]{0,15})$');
/** Enough digits for every double between 1e-6 and 1e21, which are written without an exponent. */
const DECIMAL = literal('^-?(0|[1-9][0-9]{0,20})([.][0-9]{0,30}[1-9])?$');
const INSTANT = literal('T[0-9:]{8}[.][0-9]{3}Z$');
const MIDNIGHT = literal('T00:00:00.000Z');

/**
 * SQL that converts a column's value to another type; NULL when the value would lose information, so every conversion can be
 * reversed. Every type converts to json. A scalar converts to its text in JSON and back, a date to its midnight in UTC and
 * back, numbers to numbers. json and arrays convert to the type of the value that they hold.
 */
export function converted(from: DeclarableType, to: DeclarableType, value: Sql): Sql {
  return to.fromJson(sql`(${restated(from, to, sql`to_jsonb(${from.toJson(value)})`)})`);
}

/** The value as JSON in the form that the new type accepts; NULL when there is none. */
function restated(from: DeclarableType, to: DeclarableType, json: Sql): Sql {
  const text = sql`(${json} #>> '{}')`;
  if (to.name === 'text' && from.family === 'scalar') return sql`to_jsonb(${text})`;
  if (to.name === 'date' && from.name === 'datetime') {
    return sql`CASE WHEN ${text} LIKE '%' || ${MIDNIGHT} THEN to_jsonb(left(${text}, 10)) END`;
  }
  if (to.name === 'datetime') {
    if (from.name === 'date') return sql`to_jsonb(${text} || ${MIDNIGHT})`;
    return sql`CASE WHEN ${text} ~ ${INSTANT} THEN ${json} END`;
  }
  return from.name === 'text' ? parsed(to, text, json) : json;
}

function parsed(to: DeclarableType, text: Sql, json: Sql): Sql {
  switch (to.name) {
    case 'integer':
      return sql`CASE WHEN ${text} ~ ${INTEGER} THEN to_jsonb(${text}::bigint) END`;
    case 'double': {
      const number = sql`to_jsonb(${text}::double precision)`;
      return sql`CASE WHEN ${text} ~ ${DECIMAL} THEN CASE WHEN ${number} #>> '{}' = ${text} THEN ${number} END END`;
    }
    case 'boolean':
      return sql`CASE ${text} WHEN 'true' THEN to_jsonb(true) WHEN 'false' THEN to_jsonb(false) END`;
    default:
      return json;
  }
}
