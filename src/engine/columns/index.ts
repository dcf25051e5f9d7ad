import type { DeclarableType } from './column-type.js';
import { date, datetime } from './date.column.js';
import { array, json } from './document.column.js';
import { boolean, double, integer, text } from './scalar.column.js';

export type { ColumnType, Comparison, DeclarableType, SentForm } from './column-type.js';
export { converted } from './convert.js';
export { checkDocument, nameFlaw, textFlaw } from './document.column.js';
export { id } from './scalar.column.js';

/** The types that a schema can name. */
export const COLUMN_TYPES = {
  text,
  integer,
  double,
  boolean,
  date,
  datetime,
  json,
  array,
} as const satisfies Record<string, DeclarableType>;

export type ColumnTypeName = keyof typeof COLUMN_TYPES;

/** True for the name of a type that a schema can name. */
export function isColumnTypeName(name: unknown): name is ColumnTypeName {
  return typeof name === 'string' && Object.hasOwn(COLUMN_TYPES, name);
}
