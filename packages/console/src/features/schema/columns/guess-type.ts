import type { ColumnType } from '../../../values/draft-columns.js';

const DATE = /^\d{4}-\d\d-\d\d$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i;

/** From the narrowest type to the one that takes every value. */
const TYPES: readonly (readonly [ColumnType, (value: unknown) => boolean])[] = [
  ['boolean', value => typeof value === 'boolean'],
  ['integer', value => Number.isSafeInteger(value)],
  ['double', value => typeof value === 'number'],
  ['date', value => typeof value === 'string' && DATE.test(value)],
  ['datetime', value => typeof value === 'string' && INSTANT.test(value)],
  ['text', value => typeof value === 'string'],
  ['array', value => Array.isArray(value) && value.every(item => typeof item === 'string')],
];

/** The narrowest type of a column that takes all of these values, as far as values that may be cut tell. */
export function guessType(values: readonly unknown[]): ColumnType {
  const present = values.filter(value => value !== null && value !== undefined);
  if (present.length === 0) return 'text';
  return TYPES.find(([, fits]) => present.every(fits))?.[0] ?? 'json';
}
