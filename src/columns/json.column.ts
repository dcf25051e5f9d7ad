import type { JsonValue } from '../kernel/json.js';
import { sql } from '../sql/index.js';
import type { DeclarableType } from './column-type.js';

/** Any JSON value. What holds for every value (names, depth, strings) is checked by `checkDocument`. */
export const json: DeclarableType = {
  name: 'json',
  sqlType: sql`jsonb`,
  castType: 'jsonb',
  expects: 'any JSON value',
  family: 'document',
  instant: false,
  accept: value => value as JsonValue,
  operand: () => undefined,
  toJson: value => value,
  fromJson: json => json,
};
