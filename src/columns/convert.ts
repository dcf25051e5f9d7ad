import type { DeclarableType } from './column-type.js';

const INTEGER = '^(0|-?[1-9][0-9]{0,15})$';
/** Digits enough for every double between 1e-6 and 1e21, which are written without an exponent. */
const DECIMAL = '^-?(0|[1-9][0-9]{0,20})([.][0-9]{0,30}[1-9])?$';
const INSTANT = 'T[0-9:]{8}[.][0-9]{3}Z$';
const MIDNIGHT = 'T00:00:00.000Z';

/**
 * SQL of a column's value as a value of another type, NULL when the value would lose something: what was converted can be
 * converted back. Everything becomes json; every scalar becomes the text that JSON shows it as, and canonical text
 * becomes the scalar; a date is its midnight in UTC; numbers stay numbers; json and arrays give what they hold.
 */
export function converted(from: DeclarableType, to: DeclarableType, sql: string): string {
  return to.fromJson(`(${restated(from, to, `to_jsonb(${from.toJson(sql)})`)})`);
}

/** The value as JSON, in the form in which the new type reads it; NULL when there is none. */
function restated(from: DeclarableType, to: DeclarableType, json: string): string {
  const text = `(${json} #>> '{}')`;
  if (to.name === 'text' && from.family === 'scalar') return `to_jsonb(${text})`;
  if (to.name === 'date' && from.name === 'datetime') {
    return `CASE WHEN ${text} LIKE '%${MIDNIGHT}' THEN to_jsonb(left(${text}, 10)) END`;
  }
  if (to.name === 'datetime') {
    if (from.name === 'date') return `to_jsonb(${text} || '${MIDNIGHT}')`;
    return `CASE WHEN ${text} ~ '${INSTANT}' THEN ${json} END`;
  }
  return from.name === 'text' ? parsed(to, text, json) : json;
}

function parsed(to: DeclarableType, text: string, json: string): string {
  switch (to.name) {
    case 'integer':
      return `CASE WHEN ${text} ~ '${INTEGER}' THEN to_jsonb(${text}::bigint) END`;
    case 'double': {
      const number = `to_jsonb(${text}::double precision)`;
      return `CASE WHEN ${text} ~ '${DECIMAL}' THEN CASE WHEN ${number} #>> '{}' = ${text} THEN ${number} END END`;
    }
    case 'boolean':
      return `CASE ${text} WHEN 'true' THEN to_jsonb(true) WHEN 'false' THEN to_jsonb(false) END`;
    default:
      return json;
  }
}
