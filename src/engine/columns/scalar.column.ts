import { isUuid } from '../../base/kernel/id.js';
import { literal, sql } from '../../base/sql/index.js';
import type { ColumnType, Comparison, DeclarableType } from './column-type.js';

/** Text, compared and sorted by code point (collation C) whatever the database's own collation is. */
export const text: DeclarableType = {
  name: 'text',
  sqlType: sql`text COLLATE "C"`,
  castType: 'text',
  expects: 'a string',
  family: 'scalar',
  instant: false,
  accept: value => (typeof value === 'string' ? value : undefined),
  operand: value => (typeof value === 'string' ? value : undefined),
  toJson: value => value,
  toText: value => value,
  sent: 'text',
  fromJson: json => sql`CASE jsonb_typeof(${json}) WHEN 'string' THEN ${json} #>> '{}' END`,
};

/** `true` and `false`; false sorts first. */
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
  sent: 'boolean',
  fromJson: json => sql`CASE jsonb_typeof(${json}) WHEN 'boolean' THEN ${json}::boolean END`,
};

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
  sent: 'plain',
  fromJson: json =>
    sql`CASE WHEN jsonb_typeof(${json}) = 'number' THEN CASE WHEN ${json}::numeric % 1 = 0 AND abs(${json}::numeric) <= ${literal(Number.MAX_SAFE_INTEGER)} THEN ${json}::bigint END END`,
};

/** `> 1.5` is `> 1` and `>= 1.5` is `>= 2` among integers; bounds beyond the column's range become ±2^53. */
function wholeBound(value: number, comparison: Comparison): number | undefined {
  if (comparison === 'eq') return Number.isSafeInteger(value) ? value + 0 : undefined;
  const whole = comparison === 'gt' || comparison === 'lte' ? Math.floor(value) : Math.ceil(value);
  return Math.min(Math.max(whole, -(2 ** 53)), 2 ** 53) + 0;
}

/** IEEE doubles without NaN and infinities, which JSON does not have. */
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
  sent: 'double',
  fromJson: json => sql`CASE jsonb_typeof(${json}) WHEN 'number' THEN ${json}::double precision END`,
};

/** The system column `_id`. Lower-case uuids order as their text does. Text that is not a uuid is equal to none. */
export const id: ColumnType = {
  name: 'id',
  sqlType: sql`uuid`,
  castType: 'uuid',
  expects: 'a uuid',
  family: 'scalar',
  instant: false,
  accept: value => (isUuid(value) ? value.toLowerCase() : undefined),
  operand: value => (isUuid(value) ? value.toLowerCase() : undefined),
  toJson: value => value,
  toText: value => sql`${value}::text`,
  sent: 'plain',
};
