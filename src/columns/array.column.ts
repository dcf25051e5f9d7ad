import { sql } from '../sql/index.js';
import type { DeclarableType } from './column-type.js';

/** An array of text, stored as jsonb so that one mechanism answers for every array there is. */
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
