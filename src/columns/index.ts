import { array } from './array.column.js';
import { boolean } from './boolean.column.js';
import type { DeclarableType } from './column-type.js';
import { date } from './date.column.js';
import { datetime } from './datetime.column.js';
import { double } from './double.column.js';
import { integer } from './integer.column.js';
import { json } from './json.column.js';
import { text } from './text.column.js';

export type { ColumnType, Comparison, DeclarableType } from './column-type.js';
export { converted } from './convert.js';
export { checkDocument, nameFlaw, textFlaw } from './document.js';
export { id } from './id.column.js';

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
