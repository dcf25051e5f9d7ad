import type { ColumnTypeName } from '../../columns/index.js';
import { isTextOfTooMany, type JsonValue } from '../../kernel/json.js';

/** Thrown when a field of a JSON column does not contain JSON. */
export class NotJson extends Error {}

const INTEGER = /^[+-]?\d{1,16}$/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** Text that is not a value of the type stays text, so that the column refuses it with its usual error. */
const VALUES: Readonly<Record<ColumnTypeName, (text: string) => JsonValue>> = {
  text: text => text,
  integer: text => (INTEGER.test(text) ? Number(text) : text),
  double: text => (NUMBER.test(text) ? Number(text) : text),
  boolean: text => (/^true$/i.test(text) ? true : /^false$/i.test(text) ? false : text),
  date: text => text,
  datetime: text => text,
  json: parsed,
  array: parsed,
};

/** The value of a column. An empty field is null, and so is `""` except in text columns. Throws NotJson. */
export function columnValue(type: ColumnTypeName, text: string | null): JsonValue {
  if (text === null || (text === '' && type !== 'text')) return null;
  return VALUES[type](text);
}

function parsed(text: string): JsonValue {
  if (isTextOfTooMany(text)) throw new NotJson();
  try {
    return JSON.parse(text);
  } catch {
    throw new NotJson();
  }
}
