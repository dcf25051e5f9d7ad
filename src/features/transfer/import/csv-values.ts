import { isTextOfTooMany, type JsonValue } from '../../../base/kernel/json.js';
import type { ColumnTypeName } from '../../../engine/columns/index.js';
import type { LocalValues } from './local-values.js';

/** Thrown when a field of a JSON column does not contain JSON. */
export class NotJson extends Error {}

const INTEGER = /^[+-]?\d{1,16}$/;
const BOOLEAN = /^(true|false)$/i;
const LIST_OR_OBJECT = /^(\[.*\]|\{.*\})$/s;
/** Codes rather than numbers: `007` and `+33` would lose characters. */
const CODE = /^(\+|-?0\d)/;
const WHOLE = /^-?\d+$/;
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

/** The value of a column in a file that writes numbers and dates as `local` says. Throws NotJson. */
export function localValue(type: ColumnTypeName, text: string | null, local: LocalValues): JsonValue {
  if (text === null || text === '' || !local.reads(type)) return columnValue(type, text);
  const read = local.text(type, text.trim());
  // The column refuses the text. Read in the usual way, it could be another value: 1.5 where the comma is the sign.
  return read === undefined ? text : columnValue(type, read);
}

/** True for a code, and for a whole number that is too large to keep all of its digits as a number. */
export function isCode(text: string): boolean {
  return CODE.test(text) || (WHOLE.test(text) && !Number.isSafeInteger(Number(text)));
}

/** True if the text looks like a number, a boolean, a list or an object. */
export function looksTyped(text: string): boolean {
  return (NUMBER.test(text) && !isCode(text)) || BOOLEAN.test(text) || LIST_OR_OBJECT.test(text);
}

function parsed(text: string): JsonValue {
  if (isTextOfTooMany(text)) throw new NotJson();
  try {
    return JSON.parse(text);
  } catch {
    throw new NotJson();
  }
}
