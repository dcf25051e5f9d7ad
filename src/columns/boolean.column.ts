import { sql } from '../sql/index.js';
import type { DeclarableType } from './column-type.js';

/** `true` and `false`; in order, false comes first. */
export const boolean: DeclarableType = {
  name: 'boolean',
  sqlType: sql`boolean`,
  castType: 'boolean',
  expects: 'true or false',
  family: 'scalar',
  instant: false,
  accept: value => (typeof value === 'boolean' ? value : undefined),
  operand: value => (typeof value === 'boolean' ? value : undefined),
  toJson: value => value,
  fromJson: json => sql`CASE jsonb_typeof(${json}) WHEN 'boolean' THEN ${json}::boolean END`,
};
