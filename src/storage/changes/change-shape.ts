import { COLUMN_TYPES, type DeclarableType, id } from '../../columns/index.js';
import type { ShapedColumn, TableShape } from '../../filter/index.js';
import { literal, type Sql, sql } from '../../sql/index.js';
import { type CollectionShape, columnsOf } from '../collection-shape.js';

/** SQL of the whole record of a change `c`, as it was at the time of the change, in the schema of that time. */
export const CHANGED_RECORD: Sql = sql`c.record::jsonb`;

/**
 * A change as the filter language needs it: the columns that are declared now, read from `d.record`. A value that does
 * not fit its column was written before the column had its type, and counts as null.
 */
export function changeShape(shape: CollectionShape): TableShape {
  const instant = (name: string) => fieldOf(name, COLUMN_TYPES.datetime);
  const system = new Map<string, ShapedColumn>([
    ['_id', { sql: sql`c.record_id`, type: id }],
    ['created_at', instant('created_at')],
    ['updated_at', instant('updated_at')],
  ]);
  const columns = new Map(
    columnsOf(shape).map(({ name, definition: { type } }) => [name, fieldOf(name, COLUMN_TYPES[type])]),
  );
  return {
    flexible: sql`d.record`,
    column: name => system.get(name) ?? columns.get(name),
    textColumns: [...columns.values()].filter(({ type }) => type.name === 'text').map(column => column.sql),
  };
}

/** The cast also gives the value the column's collation. */
function fieldOf(name: string, type: DeclarableType) {
  const value = type.fromJson(sql`nullif(d.record -> ${literal(name)}, 'null'::jsonb)`);
  return { sql: sql`((${value})::${type.sqlType})`, type };
}
