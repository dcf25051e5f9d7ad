import type { DeclarableType } from './column-type.js';

/** IEEE doubles; JSON has neither NaN nor the infinities. */
export const double: DeclarableType = {
  name: 'double',
  sqlType: 'double precision',
  castType: 'double precision',
  expects: 'a finite number',
  family: 'scalar',
  instant: false,
  // Adding 0 turns −0 into 0: both are shown as 0.
  accept: value => (Number.isFinite(value) ? (value as number) + 0 : undefined),
  operand: value => (typeof value === 'number' ? value + 0 : undefined),
  toJson: sql => sql,
  fromJson: json => `CASE jsonb_typeof(${json}) WHEN 'number' THEN ${json}::double precision END`,
};
