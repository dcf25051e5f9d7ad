import type { ColumnTypeName } from '../columns/index.js';
import type { JsonValue } from '../kernel/json.js';
import { isTextOfTooMany } from '../kernel/value-count.js';

/** Text that is no JSON where a column holds JSON. */
export class NotJson extends Error {}

const INTEGER = /^[+-]?\d{1,16}$/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** Text that does not say a value of the type stays text, and the column will refuse it in its own words. */
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

/** The value of a typed column. Nothing is null, and so is `""` in a column that holds no text. Throws NotJson. */
export function columnValue(type: ColumnTypeName, text: string | null): JsonValue {
  if (text === null || (text === '' && type !== 'text')) return null;
  return VALUES[type](text);
}

/** A value as the text of a field: strings as they are, what is no scalar as JSON; null is nothing. */
export function fieldText(value: JsonValue | undefined, isJson: boolean): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' && !isJson ? value : JSON.stringify(value);
}

function parsed(text: string): JsonValue {
  if (isTextOfTooMany(text)) throw new NotJson();
  try {
    return JSON.parse(text);
  } catch {
    throw new NotJson();
  }
}
