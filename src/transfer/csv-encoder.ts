import type { Projection } from '../filter/index.js';
import { type JsonObject, ownValue } from '../kernel/json.js';
import { type CollectionShape, SYSTEM_FIELDS } from '../storage/collection-shape.js';
import { fieldText } from './csv-values.js';

const NEEDS_QUOTES = /[",;\t\r\n]|^$|^\s|\s$/;

/** The columns of a CSV file: those asked for in that order, else all, the flexible ones last. */
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

/** A line of field names (RFC 4180). */
export function csvHeader(columns: readonly string[]): string {
  return line(columns);
}

/** A record, given as JSON text, as a line. `""` is empty text, nothing is null or absent. */
export function csvLine(shape: CollectionShape, columns: readonly string[], record: string): string {
  const values: JsonObject = JSON.parse(record);
  return line(columns.map(name => fieldText(ownValue(values, name), isJson(shape, name))));
}

/** Columns of JSON keep their quotes around strings, so that they can be read back. */
function isJson(shape: CollectionShape, name: string): boolean {
  return Object.hasOwn(shape.columns, name) && shape.columns[name]?.type === 'json';
}

function line(fields: readonly (string | null)[]): string {
  const quoted = fields.map(field =>
    field === null ? '' : NEEDS_QUOTES.test(field) ? `"${field.replaceAll('"', '""')}"` : field,
  );
  return `${quoted.join(',')}\r\n`;
}
