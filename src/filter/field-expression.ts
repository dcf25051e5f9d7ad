import type { ColumnType } from '../columns/index.js';
import { param, type Sql, sql } from '../sql/index.js';
import type { FieldPath } from './field-path.js';
import { placeInTable, valuesAt } from './scope.js';
import type { TableShape } from './table-shape.js';

export interface FieldExpression {
  readonly sql: Sql;
  /** The column's type; absent for jsonb inside a column or in the flexible fields. */
  readonly type?: ColumnType;
}

/** SQL of one field's value: the column, or jsonb (NULL when absent). The path enters arrays only by index. */
export function fieldExpression(path: FieldPath, shape: TableShape): FieldExpression {
  const [name, ...rest] = path as [string, ...string[]];
  const column = shape.column(name);
  if (column !== undefined && rest.length === 0) return { sql: column.sql, type: column.type };
  if (column?.type.family === 'scalar') return { sql: sql`NULL::jsonb` };
  const [root, inside] = column === undefined ? [shape.flexible, path] : [column.sql, rest];
  return { sql: sql`(${root} #> ${param(inside, 'text[]')})` };
}

/**
 * SQL for a FROM clause: one jsonb row for each value that a filter would see at the path. It goes through arrays and
 * opens the array at the end, as in MongoDB's `distinct`. Undefined for a column of a scalar type, which has one value.
 */
export function fieldValues(path: FieldPath, shape: TableShape): Sql | undefined {
  const place = placeInTable(shape, path);
  return 'column' in place ? undefined : valuesAt(place, { elements: true });
}
