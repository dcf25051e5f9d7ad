import type { ColumnTypeName } from '../columns/index.js';
import type { Projection } from '../filter/index.js';
import { isTextOfTooMany, type JsonObject, type JsonValue, ownValue } from '../kernel/json.js';
import { type CollectionShape, SYSTEM_FIELDS } from '../storage/collection-shape.js';

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

/** The text of a field: strings as they are, null as an empty field, other values as JSON. */
function fieldText(value: JsonValue | undefined, isJson: boolean): string | null {
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

const NEEDS_QUOTES = /[",;\t\r\n]|^$|^\s|\s$/;

/** The columns of a CSV file: those of the projection in its order, else all columns and then the other fields. */
export function csvColumns(
  shape: CollectionShape,
  projection: Projection | undefined,
  flexibleNames: readonly string[],
): string[] {
  const named = new Set(projection?.paths.map(([name]) => name as string));
  if (projection?.mode === 'include') return [...new Set([...(projection.id ? ['_id'] : []), ...named])];
  const left = new Set(projection?.paths.filter(path => path.length === 1).map(([name]) => name as string));
  if (projection?.id === false) left.add('_id');
  return [...SYSTEM_FIELDS, ...Object.keys(shape.columns), ...flexibleNames].filter(name => !left.has(name));
}

/** The header line (RFC 4180). */
export function csvHeader(columns: readonly string[]): string {
  return line(columns);
}

/** The line of a record, given as JSON text. `""` is an empty string; an empty field is null or absent. */
export function csvLine(shape: CollectionShape, columns: readonly string[], record: string): string {
  const values: JsonObject = JSON.parse(record);
  return line(columns.map(name => fieldText(ownValue(values, name), isJson(shape, name))));
}

/** True for JSON columns, whose strings are written with quotes, so that an import reads the same values. */
function isJson(shape: CollectionShape, name: string): boolean {
  return Object.hasOwn(shape.columns, name) && shape.columns[name]?.type === 'json';
}

function line(fields: readonly (string | null)[]): string {
  const quoted = fields.map(field =>
    field === null ? '' : NEEDS_QUOTES.test(field) ? `"${field.replaceAll('"', '""')}"` : field,
  );
  return `${quoted.join(',')}\r\n`;
}
