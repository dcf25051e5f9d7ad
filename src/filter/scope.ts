import type { ColumnType } from '../columns/index.js';
import type { FieldPath } from './field-path.js';
import { routes } from './jsonpath.js';
import type { SqlParameters } from './sql-parameters.js';
import type { TableShape } from './table-shape.js';
import type { Filter, Test } from './tree.js';

/** Where the values of a field live: in a column of a scalar type, or at a path inside a jsonb value. */
export type Place = Column | Inside;

export interface Column {
  readonly column: string;
  readonly type: ColumnType;
}

export interface Inside {
  /** SQL of a jsonb value; NULL when there is none. */
  readonly root: string;
  readonly path: FieldPath;
  /** An element that operators compare as it is (`$elemMatch`): an array is not opened. Its path is empty. */
  readonly isElement?: boolean;
}

/** How names are resolved where a condition stands: in the table, or in an array's element (`$elemMatch`). */
export interface Scope {
  readonly parameters: SqlParameters;
  resolve(path: FieldPath): Place;
  readonly textColumns: readonly string[];
  /** A name for a row of a subquery, unused so far in the statement. */
  alias(): string;
  /** The same statement, one element deeper. */
  inElement(root: string): Scope;
  filter(filter: Filter): string;
  test(test: Test, place: Place): string;
}

/** Resolves a path in the table. What lies beneath a scalar column is never there. */
export function placeInTable(shape: TableShape, path: FieldPath): Place {
  const [name, ...rest] = path as [string, ...string[]];
  const column = shape.column(name);
  if (column === undefined) return { root: shape.flexible, path };
  if (column.type.family === 'document') return placeInValue(`coalesce(${column.sql}, 'null'::jsonb)`, rest);
  return rest.length === 0 ? { column: column.sql, type: column.type } : { root: 'NULL::jsonb', path: rest };
}

/** Resolves a path in a jsonb value. A leading index needs something to stand in: see `step` in jsonpath.ts. */
export function placeInValue(root: string, path: FieldPath): Inside {
  const leadingIndex = path.length > 0 && /^\d/.test(path[0]!);
  return leadingIndex ? { root: `jsonb_build_object('v', ${root})`, path: ['v', ...path] } : { root, path };
}

/** The values of any place as jsonb: a scalar column becomes the value that the client sees. */
export function asJson(place: Place): Inside {
  return 'column' in place ? { root: `coalesce(to_jsonb(${place.column}), 'null'::jsonb)`, path: [] } : place;
}

/** A jsonpath predicate over the place, one for each way to read its path. */
export function matches(place: Inside, scope: Scope, predicate: (value: string) => string): string {
  const text = routes(place.path).map(predicate).join(' || ');
  return `${opening(place)} @@ ${scope.parameters.add(text, 'jsonpath')}`;
}

/** What a jsonpath predicate starts from. It opens one level of arrays: around an element, that is one of our own. */
export function opening({ root, isElement }: Inside): string {
  return isElement ? `jsonb_build_array(${root})` : root;
}

/**
 * True when some value at the place satisfies an SQL condition on jsonb. With `elements`, arrays are opened (one
 * level), as for every operator that takes a scalar; without, the values are taken whole.
 */
export function someValue(
  place: Place,
  scope: Scope,
  values: { elements: boolean },
  condition: (value: string) => string,
): string {
  if ('column' in place) return condition(`to_jsonb(${place.column})`);
  if (place.isElement) return `(${condition(place.root)})`;
  const alias = scope.alias();
  const source = valuesAt(place, scope.parameters, values);
  return `EXISTS (SELECT FROM ${source} AS ${alias}(v) WHERE ${condition(`${alias}.v`)})`;
}

/** As `someValue`, for a condition on text: values of other types never satisfy it. */
export function someText(place: Place, scope: Scope, condition: (text: string) => string): string {
  if ('column' in place) return place.type.toText ? condition(place.type.toText(place.column)) : 'FALSE';
  return someValue(
    place,
    scope,
    { elements: true },
    value => `jsonb_typeof(${value}) = 'string' AND ${condition(`(${value} #>> '{}')`)}`,
  );
}

/** SQL for a FROM clause: one row for each value at the place, with arrays opened (one level) or whole. */
export function valuesAt(place: Inside, parameters: SqlParameters, values: { elements: boolean }): string {
  const sources = routes(place.path).map(route => {
    const path = parameters.add(values.elements ? `${route}[*]` : route, 'jsonpath');
    return `jsonb_path_query(${place.root}, ${path})`;
  });
  return sources.length === 1 ? sources[0]! : `(SELECT ${sources.join(' UNION ALL SELECT ')})`;
}
