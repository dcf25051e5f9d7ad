import { identifier, literal, type Sql, sql } from '../../../base/sql/index.js';
import { COLUMN_TYPES, type DeclarableType, id } from '../../columns/index.js';
import { compileFilter, type Filter, type ShapedColumn, type TableShape } from '../../filter/index.js';
import { AUTHOR_FIELDS, type CollectionShape } from '../collection-shape.js';
import { seenIn, shows } from '../restricted/seen.js';
import { columnsOf } from '../table-sql.js';

/** SQL of a filter on the records of changes. Throws 400 for a value that the type of a column refuses. */
export function changesFilter(shape: CollectionShape, filter: Filter): Sql {
  return compileFilter(filter, changeShape(shape, sql`d`));
}

/**
 * A change as the filter language needs it: the columns that are declared now, read from the column `record` (jsonb) of
 * `version`, which also has the authors. A value that does not fit its column was written before the column had its type,
 * and counts as null.
 */
export function changeShape(shape: CollectionShape, version: Sql): TableShape {
  const { seen } = shape;
  const fieldOf = (name: string, type: DeclarableType): ShapedColumn => {
    const value = type.fromJson(sql`nullif(${version}.record -> ${literal(name)}, 'null'::jsonb)`);
    // The cast also gives the value the column's collation.
    return { sql: sql`((${value})::${type.sqlType})`, type };
  };
  const ifSeen = (name: string, field: ShapedColumn): [string, ShapedColumn] => {
    const isPartly = seen?.grants.some(grant => !shows(grant, name));
    if (seen === undefined || !isPartly || !seen.sees(name)) return [name, field];
    return [name, { ...field, present: seenIn(seen.grants, grant => shows(grant, name), 'g') }];
  };
  const system = new Map<string, ShapedColumn>([
    ['_id', { sql: sql`c.record_id`, type: id }],
    ['created_at', fieldOf('created_at', COLUMN_TYPES.datetime)],
    ['updated_at', fieldOf('updated_at', COLUMN_TYPES.datetime)],
  ]);
  const authors = new Map(
    AUTHOR_FIELDS.map(([name, column]) =>
      ifSeen(name, { sql: sql`${version}.${identifier(column)}`, type: id }),
    ),
  );
  const columns = new Map(
    columnsOf(shape).map(({ name, definition: { type } }) => ifSeen(name, fieldOf(name, COLUMN_TYPES[type]))),
  );
  return {
    flexible: sql`${version}.record`,
    ...(seen && { admit: names => seen.admit(names) }),
    column: name => {
      seen?.admit([name]);
      return system.get(name) ?? columns.get(name) ?? authors.get(name);
    },
    textColumns: [...columns.values()].filter(({ type }) => type.name === 'text').map(column => column.sql),
  };
}
