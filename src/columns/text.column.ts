import { sql } from '../sql/index.js';
import type { DeclarableType } from './column-type.js';

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
  fromJson: json => sql`CASE jsonb_typeof(${json}) WHEN 'string' THEN ${json} #>> '{}' END`,
};
