import { sql } from '../sql/index.js';
import type { DeclarableType } from './column-type.js';

/** IEEE doubles; JSON has neither NaN nor the infinities. */
export const double: DeclarableType = {
  name: 'double',
  sqlType: sql`double precision`,
  castType: 'double precision',
  expects: 'a finite number',
  family: 'scalar',
  instant: false,
  // Adding 0 turns −0 into 0: both are shown as 0.
  accept: value => (Number.isFinite(value) ? (value as number) + 0 : undefined),
  operand: value => (typeof value === 'number' ? value + 0 : undefined),
  toJson: value => value,
  fromJson: json => sql`CASE jsonb_typeof(${json}) WHEN 'number' THEN ${json}::double precision END`,
};
