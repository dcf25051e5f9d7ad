import type { ColumnType } from './column-type.js';

/** An array of text, stored as jsonb so that one mechanism answers for every array there is. */
export const array: ColumnType = {
  name: 'array',
  sqlType: 'jsonb',
  castType: 'jsonb',
  expects: 'an array of strings',
  family: 'document',
  instant: false,
  accept: value =>
    Array.isArray(value) && value.every(item => typeof item === 'string') ? (value as string[]) : undefined,
  operand: () => undefined,
  toJson: sql => sql,
};
