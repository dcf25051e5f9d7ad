import type { ColumnType } from '../columns/index.js';
import { joined, param, type Sql, sql } from '../sql/index.js';
import type { FieldPath } from './field-path.js';
import { routes } from './jsonpath.js';
import type { TableShape } from './table-shape.js';
import type { Filter, Test } from './tree.js';

/** Where the values of a field live: in a column of a scalar type, or at a path inside a jsonb value. */
export type Place = Column | Inside;

export interface Column {
  readonly column: Sql;
  readonly type: ColumnType;
}

export interface Inside {
  /** SQL of a jsonb value; NULL when there is none. */
  readonly root: Sql;
  readonly path: FieldPath;
  /** An element that operators compare as it is (`$elemMatch`): an array is not opened. Its path is empty. */
  readonly isElement?: boolean;
}

/** How names are resolved where a condition stands: in the table, or in an array's element (`$elemMatch`). */
export interface Scope {
  resolve(path: FieldPath): Place;
  readonly textColumns: readonly Sql[];
  /** A name for a row of a subquery, unused so far in the statement. */
  alias(): Sql;
  /** The same statement, one element deeper. */
  inElement(root: Sql): Scope;
  filter(filter: Filter): Sql;
  test(test: Test, place: Place): Sql;
}

/** Resolves a path in the table. What lies beneath a scalar column is never there. */
export function placeInTable(shape: TableShape, path: FieldPath): Place {
  const [name, ...rest] = path as [string, ...string[]];
  const column = shape.column(name);
  if (column === undefined) return { root: shape.flexible, path };
  if (column.type.family === 'document')
    return placeInValue(sql`coalesce(${column.sql}, 'null'::jsonb)`, rest);
  return rest.length === 0
    ? { column: column.sql, type: column.type }
    : { root: sql`NULL::jsonb`, path: rest };
}

/** Resolves a path in a jsonb value. A leading index needs something to stand in: see `step` in jsonpath.ts. */
export function placeInValue(root: Sql, path: FieldPath): Inside {
  const leadingIndex = path.length > 0 && /^\d/.test(path[0]!);
  return leadingIndex
    ? { root: sql`jsonb_build_object('v', ${root})`, path: ['v', ...path] }
    : { root, path };
}

/** The values of any place as jsonb: a scalar column becomes the value that the client sees. */
export function asJson(place: Place): Inside {
  return 'column' in place
    ? { root: sql`coalesce(to_jsonb(${place.column}), 'null'::jsonb)`, path: [] }
    : place;
}

/** A jsonpath predicate over the place, one for each way to read its path. */
export function matches(place: Inside, predicate: (value: string) => string): Sql {
  const text = routes(place.path).map(predicate).join(' || ');
  return sql`${opening(place)} @@ ${param(text, 'jsonpath')}`;
}

/** What a jsonpath predicate starts from. It opens one level of arrays: around an element, that is one of our own. */
export function opening({ root, isElement }: Inside): Sql {
  return isElement ? sql`jsonb_build_array(${root})` : root;
}

/**
 * True when some value at the place satisfies an SQL condition on jsonb. With `elements`, arrays are opened (one
 * level), as for every operator that takes a scalar; without, the values are taken whole.
 */
export function someValue(
  place: Place,
  scope: Scope,
  values: { elements: boolean },
  condition: (value: Sql) => Sql,
): Sql {
  if ('column' in place) return condition(sql`to_jsonb(${place.column})`);
  if (place.isElement) return sql`(${condition(place.root)})`;
  const alias = scope.alias();
  const source = valuesAt(place, values);
  return sql`EXISTS (SELECT FROM ${source} AS ${alias}(v) WHERE ${condition(sql`${alias}.v`)})`;
}

/** As `someValue`, for a condition on text: values of other types never satisfy it. */
export function someText(place: Place, scope: Scope, condition: (text: Sql) => Sql): Sql {
  if ('column' in place) return place.type.toText ? condition(place.type.toText(place.column)) : sql`FALSE`;
  return someValue(
    place,
    scope,
    { elements: true },
    value => sql`jsonb_typeof(${value}) = 'string' AND ${condition(sql`(${value} #>> '{}')`)}`,
  );
}

/** SQL for a FROM clause: one row for each value at the place, with arrays opened (one level) or whole. */
export function valuesAt(place: Inside, values: { elements: boolean }): Sql {
  const sources = routes(place.path).map(route => {
    const path = param(values.elements ? `${route}[*]` : route, 'jsonpath');
    return sql`jsonb_path_query(${place.root}, ${path})`;
  });
  if (sources.length === 1) return sources[0]!;
  return sql`(${joined(
    sources.map(source => sql`SELECT ${source}`),
    ' UNION ALL ',
  )})`;
}
