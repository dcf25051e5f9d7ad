import type { JsonValue } from '../kernel/json.js';
import { sql } from '../sql/index.js';
import type { DeclarableType } from './column-type.js';

/** Any JSON value. `checkDocument` checks names, depth and strings, as in every record. */
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

/** An array of strings, stored as jsonb so that filters treat it as any other array. */
export const array: DeclarableType = {
  name: 'array',
  sqlType: sql`jsonb`,
  castType: 'jsonb',
  expects: 'an array of strings',
  family: 'document',
  instant: false,
  accept: value =>
    Array.isArray(value) && value.every(item => typeof item === 'string') ? (value as string[]) : undefined,
  operand: () => undefined,
  toJson: value => value,
  fromJson: json =>
    sql`CASE WHEN jsonb_typeof(${json}) = 'array' AND NOT ${json} @? 'strict $[*] ? (@.type() != "string")' THEN ${json} END`,
};
