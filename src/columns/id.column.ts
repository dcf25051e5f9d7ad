import { isUuid } from '../kernel/id.js';
import { sql } from '../sql/index.js';
import type { ColumnType } from './column-type.js';

/** The system column `_id`. Lower-case uuids order as their text does. Text that is no uuid compares to none. */
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
};
