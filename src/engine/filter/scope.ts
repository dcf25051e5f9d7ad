import { joined, param, type Sql, sql } from '../../base/sql/index.js';
import type { ColumnType } from '../columns/index.js';
import { type FieldPath, routes } from './field-path.js';
import type { PathKey } from './path-key.js';
import type { Filter, Test } from './tree.js';

/** A column in SQL, such as `t.c1`. */
export interface ShapedColumn {
  readonly sql: Sql;
  readonly type: ColumnType;
  /** False for a column that never contains NULL: then cursors of a descending sort can use its index fully. */
  readonly nullable?: boolean;
  /** SQL that is true for the records that have the field; undefined: all have it, also those in which it is null. */
  readonly present?: Sql;
}

/** What the compiler needs from a collection's table. `_id` must be one of the columns. */
export interface TableShape {
  /**
   * The declared or system column of a top-level field; undefined for a flexible field. Throws 403 `FieldForbidden` for a
   * field that the caller sees in no record.
   */
  column(name: string): ShapedColumn | undefined;
  /** Throws 403 `FieldForbidden` that names those of the fields that the caller sees in no record. */
  admit?(names: Iterable<string>): void;
  /** SQL of the jsonb object with the flexible fields, such as `t.x`; may be NULL. */
  readonly flexible: Sql;
  /** SQL of every text column, for `$search` over the whole record. */
  readonly textColumns: readonly Sql[];
  /** The paths that have an index of the kind `ordered`, by their dotted names. */
  readonly pathKeys?: ReadonlyMap<string, PathKey>;
  /** SQL of the texts at each path that has an index of the kind `search`, in lower case. */
  readonly pathTexts?: ReadonlyMap<string, Sql>;
  /** The columns and paths of each index of this kind; undefined when there are none. */
  readonly orderedIndexes?: readonly (readonly string[])[];
}

/** Where the values of a field are: in a column of a scalar type, or at a path inside a jsonb value. */
export type FieldLocation = Column | Inside;

export interface Column {
  readonly column: Sql;
  readonly type: ColumnType;
  /** As that of `ShapedColumn`. */
  readonly present?: Sql;
}

export interface Inside {
  /** SQL of a jsonb value; NULL when there is none. */
  readonly root: Sql;
  readonly path: FieldPath;
  /**
   * True for an element that operators compare as a whole (`$elemMatch`): an array is not opened. Its path is empty.
   */
  readonly isElement?: boolean;
  /** True when the value is never an array, so that no array is above the first part of the path. */
  readonly isObject?: boolean;
}

interface IndexedPath {
  readonly key: PathKey | undefined;
  readonly text: Sql | undefined;
}

/** What the indexes of a table on a path contain; undefined without an index. */
export function indexedPath({ pathKeys, pathTexts }: TableShape, path: FieldPath): IndexedPath | undefined {
  if (pathKeys === undefined && pathTexts === undefined) return undefined;
  const name = path.join('.');
  return { key: pathKeys?.get(name), text: pathTexts?.get(name) };
}

/** How a condition resolves names: in the table, or in an array's element (`$elemMatch`). */
export interface Scope {
  resolve(path: FieldPath): FieldLocation;
  /** What the indexes on a path contain; undefined without an index. */
  indexedPath(path: FieldPath): IndexedPath | undefined;
  readonly textColumns: readonly Sql[];
  /** A name for a row of a subquery that is not used elsewhere in the statement. */
  alias(): Sql;
  /** The scope of conditions on an element, in the same statement. */
  inElement(root: Sql): Scope;
  filter(filter: Filter): Sql;
  test(test: Test, location: FieldLocation): Sql;
}

/** Resolves a path in the table. A path below a scalar column is always absent. */
export function locationInTable(shape: TableShape, path: FieldPath): FieldLocation {
  const [name, ...rest] = path as [string, ...string[]];
  const column = shape.column(name);
  if (column === undefined) return { root: shape.flexible, path, isObject: true };
  if (column.type.family === 'document') {
    const value = sql`coalesce(${column.sql}, 'null'::jsonb)`;
    return column.present === undefined ? locationInValue(value, rest) : valueIf(column.present, value, rest);
  }
  return rest.length === 0
    ? { column: column.sql, type: column.type, ...(column.present && { present: column.present }) }
    : { root: sql`NULL::jsonb`, path: rest };
}

/** A path in a value that some records do not have. */
function valueIf(present: Sql, value: Sql, path: FieldPath): Inside {
  const root = sql`CASE WHEN ${present} THEN jsonb_build_object('v', ${value}) ELSE '{}'::jsonb END`;
  return { root, path: ['v', ...path], isObject: true };
}

/** Resolves a path in a jsonb value. A leading index needs a parent: see `step` in field-path.ts. */
export function locationInValue(root: Sql, path: FieldPath): Inside {
  const leadingIndex = path.length > 0 && /^\d/.test(path[0]!);
  return leadingIndex
    ? { root: sql`jsonb_build_object('v', ${root})`, path: ['v', ...path] }
    : { root, path };
}

/** The values of a field as jsonb. A scalar column becomes the value that the client sees. */
export function asJson(location: FieldLocation): Inside {
  if (!('column' in location)) return location;
  const value = sql`coalesce(to_jsonb(${location.column}), 'null'::jsonb)`;
  return location.present === undefined ? { root: value, path: [] } : valueIf(location.present, value, []);
}

/** SQL of a jsonpath predicate on the values, combined over all ways to read the path. `compared`: see `routes`. */
export function matches(location: Inside, predicate: (value: string) => string, compared = false): Sql {
  const text = routes(location.path, compared).map(predicate).join(' || ');
  return sql`${opening(location)} @@ ${param(text, 'jsonpath')}`;
}

/**
 * The jsonb value that a jsonpath predicate starts from. The predicate opens one level of arrays, so an element is
 * wrapped in an array first.
 */
export function opening({ root, isElement }: Inside): Sql {
  return isElement ? sql`jsonb_build_array(${root})` : root;
}

/**
 * SQL that is true when some value satisfies a condition on jsonb. With `elements`, values are compared as every operator
 * with a scalar operand does, so arrays are opened (one level); without it, values are compared as a whole.
 */
export function someValue(
  location: FieldLocation,
  scope: Scope,
  values: { elements: boolean },
  condition: (value: Sql) => Sql,
): Sql {
  if ('column' in location) return condition(sql`to_jsonb(${location.column})`);
  if (location.isElement) return sql`(${condition(location.root)})`;
  const alias = scope.alias();
  const source = valuesAt(location, values, values.elements);
  return sql`EXISTS (SELECT FROM ${source} AS ${alias}(v) WHERE ${condition(sql`${alias}.v`)})`;
}

/** As `someValue`, for a condition on text. Values of other types never satisfy it. */
export function someText(location: FieldLocation, scope: Scope, condition: (text: Sql) => Sql): Sql {
  if ('column' in location)
    return location.type.toText ? condition(location.type.toText(location.column)) : sql`FALSE`;
  return someValue(
    location,
    scope,
    { elements: true },
    value => sql`jsonb_typeof(${value}) = 'string' AND ${condition(sql`(${value} #>> '{}')`)}`,
  );
}

/**
 * SQL for a FROM clause: one row for each value, with arrays opened (one level) or as a whole. `compared`: see `routes`.
 */
export function valuesAt(location: Inside, values: { elements: boolean }, compared = false): Sql {
  const sources = routes(location.path, compared).map(route => {
    const path = param(values.elements ? `${route}[*]` : route, 'jsonpath');
    return sql`jsonb_path_query(${location.root}, ${path})`;
  });
  if (sources.length === 1) return sources[0]!;
  return sql`(${joined(
    sources.map(source => sql`SELECT ${source}`),
    ' UNION ALL ',
  )})`;
}

export interface FieldExpression {
  readonly sql: Sql;
  /** The column's type; absent for jsonb inside a column or in the flexible fields. */
  readonly type?: ColumnType;
  /** As that of `ShapedColumn`. */
  readonly present?: Sql | undefined;
}

/** SQL of one field's value: the column, or jsonb (NULL when absent). The path enters arrays only by index. */
export function fieldExpression(path: FieldPath, shape: TableShape): FieldExpression {
  const [name, ...rest] = path as [string, ...string[]];
  const column = shape.column(name);
  if (column !== undefined && rest.length === 0)
    return { sql: column.sql, type: column.type, present: column.present };
  if (column?.type.family === 'scalar') return { sql: sql`NULL::jsonb` };
  const [root, inside] = column === undefined ? [shape.flexible, path] : [column.sql, rest];
  return { sql: sql`(${root} #> ${param(inside, 'text[]')})` };
}

/**
 * SQL for a FROM clause: one jsonb row for each value that a filter would see at the path. It goes through arrays and
 * opens the array at the end, as in MongoDB's `distinct`. Undefined for a column of a scalar type, which has one value.
 */
export function fieldValues(path: FieldPath, shape: TableShape): Sql | undefined {
  const location = locationInTable(shape, path);
  return 'column' in location ? undefined : valuesAt(location, { elements: true });
}
