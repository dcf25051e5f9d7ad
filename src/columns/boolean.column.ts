import type { ColumnType } from './column-type.js';

/** `true` and `false`; in order, false comes first. */
export const boolean: ColumnType = {
  name: 'boolean',
  sqlType: 'boolean',
  castType: 'boolean',
  expects: 'true or false',
  family: 'scalar',
  instant: false,
  accept: value => (typeof value === 'boolean' ? value : undefined),
  operand: value => (typeof value === 'boolean' ? value : undefined),
  toJson: sql => sql,
};
