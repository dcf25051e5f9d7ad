import { literal, sql } from '../sql/index.js';
import type { Comparison, DeclarableType } from './column-type.js';

/** Integers that JSON carries exactly: within ±(2^53−1). */
export const integer: DeclarableType = {
  name: 'integer',
  sqlType: sql`bigint`,
  castType: 'bigint',
  expects: 'an integer within ±(2^53−1)',
  family: 'scalar',
  instant: false,
  accept: value => (Number.isSafeInteger(value) ? (value as number) + 0 : undefined),
  operand: (value, comparison) => (typeof value === 'number' ? wholeBound(value, comparison) : undefined),
  toJson: value => value,
  fromJson: json =>
    sql`CASE WHEN jsonb_typeof(${json}) = 'number' THEN CASE WHEN ${json}::numeric % 1 = 0 AND abs(${json}::numeric) <= ${literal(Number.MAX_SAFE_INTEGER)} THEN ${json}::bigint END END`,
};

/** `> 1.5` is `> 1` and `>= 1.5` is `>= 2` among integers; far bounds are pulled to just outside the column's range. */
function wholeBound(value: number, comparison: Comparison): number | undefined {
  if (comparison === 'eq') return Number.isSafeInteger(value) ? value + 0 : undefined;
  const whole = comparison === 'gt' || comparison === 'lte' ? Math.floor(value) : Math.ceil(value);
  return Math.min(Math.max(whole, -(2 ** 53)), 2 ** 53) + 0;
}
