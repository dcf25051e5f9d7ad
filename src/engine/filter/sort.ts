import { invalid, PlatformError } from '../../base/kernel/errors.js';
import { isJsonObject, type JsonValue } from '../../base/kernel/json.js';
import { shortened } from '../../base/kernel/text.js';
import { joined, param, type Sql, sql } from '../../base/sql/index.js';
import { type FieldPath, parseFieldPath } from './field-path.js';
import { type Column, locationInTable, type TableShape } from './scope.js';
import { codeOf, codesOf } from './sort-code.js';

interface SortField {
  readonly path: FieldPath;
  readonly direction: 1 | -1;
}

/** Fields in order of precedence. The last is always `_id`, which makes the order total. */
export type Sort = readonly SortField[];

/** As in MongoDB. */
export const MAX_SORT_FIELDS = 32;

/**
 * Parses `{field: 1|-1, …}`; undefined means `{_id: 1}`. Ties are ordered by `_id` in the direction of the last field.
 * Fields after `_id` have no effect. Throws `invalid()`.
 */
export function parseSort(json: unknown): Sort {
  if (json !== undefined && !isJsonObject(json))
    throw invalid('sort must be an object such as {"created_at": -1}');
  const entries = Object.entries(json ?? {});
  if (entries.length > MAX_SORT_FIELDS) throw invalid(`sort takes at most ${MAX_SORT_FIELDS} fields`);
  const fields = entries.map(([name, direction]) => parseField(name, direction));
  const tie = fields.findIndex(({ path }) => path.join('.') === '_id');
  if (tie >= 0) return Object.freeze(fields.slice(0, tie + 1));
  return Object.freeze([...fields, { path: ['_id'], direction: fields.at(-1)?.direction ?? 1 }]);
}

function parseField(name: string, direction: unknown): SortField {
  const path = parseFieldPath(name);
  if (direction !== 1 && direction !== -1)
    throw invalid(`sort: the direction of ${JSON.stringify(shortened(name))} must be 1 or -1`);
  return Object.freeze({ path, direction });
}

/** A key that records are ordered by: SQL of one value, in which NULL is MongoDB's null. */
export interface SortKey {
  readonly value: Sql;
  /** A key that is correct for every record, if `value` is correct only for records that are regular at a path. */
  readonly ofAnyRecord?: Sql;
  /** A parameter with the text of such a value. */
  operand(text: string): Sql;
  readonly descending: boolean;
  readonly nullable: boolean;
}

/** The keys of a sort, used for ORDER BY, positions and keyset conditions. */
export function sortKeys(sort: Sort, shape: TableShape): readonly SortKey[] {
  shape.admit?.(sort.map(({ path }) => path[0] as string));
  return sort.map(field => {
    const location = locationInTable(shape, field.path);
    if ('column' in location) return columnKey(location, field, shape);
    const descending = field.direction === -1;
    const together = sort.filter(({ path }) => path[0] === field.path[0]);
    const code = together.length === 1 ? codeOf(location, descending) : codeTogether(field, together, shape);
    return {
      value: code,
      operand: text => sql`${param(text, 'text')} COLLATE "C"`,
      descending,
      nullable: true,
    };
  });
}

/** The code of a field beside others that the same array may contain. */
function codeTogether(field: SortField, together: Sort, shape: TableShape): Sql {
  const column = shape.column(field.path[0]!);
  const root = column ? sql`jsonb_build_object('v', ${column.sql})` : shape.flexible;
  const fields = together.map(({ path, direction }) => ({
    path: column ? ['v', ...path.slice(1)] : path,
    descending: direction === -1,
  }));
  return codesOf(root, fields)[together.indexOf(field)]!;
}

/** The keys in the opposite order. The values of lists stay: each still sorts by the same element. */
export function reversed(keys: readonly SortKey[]): readonly SortKey[] {
  return keys.map(key => ({ ...key, descending: !key.descending }));
}

/**
 * SQL of a scalar value that is compared with the key of a field; undefined for null. Throws `invalid()` when no record
 * can have such a value.
 */
export function keyOf({ path, direction }: SortField, value: JsonValue, shape: TableShape): Sql | undefined {
  if (value === null) return undefined;
  const location = locationInTable(shape, path);
  if (!('column' in location))
    return codeOf({ root: param(JSON.stringify(value), 'jsonb'), path: [] }, direction === -1);
  const { type } = location;
  const operand = fittingOperand(() => type.operand(value, direction === -1 ? 'lte' : 'gte'));
  if (operand === undefined) throw invalid(`at: expects ${type.expects}, or null`);
  return param(operand, type.castType);
}

function fittingOperand<T>(operand: () => T): T {
  try {
    return operand();
  } catch (error) {
    throw error instanceof PlatformError ? invalid(`at: ${error.message}`) : error;
  }
}

/** MongoDB's order: nulls come first ascending and last descending, as in an index `(c1 NULLS FIRST, _id)`. */
export function orderBy(keys: readonly SortKey[]): Sql {
  const last = keys.length - 1;
  return joined(
    keys.map(({ value, descending }, index) => {
      if (index === last) return descending ? sql`${value} DESC` : sql`${value} ASC`;
      return descending ? sql`${value} DESC NULLS LAST` : sql`${value} ASC NULLS FIRST`;
    }),
  );
}

function columnKey({ column, type }: Column, { path, direction }: SortField, shape: TableShape): SortKey {
  const nullable = path[0] !== '_id' && shape.column(path[0]!)?.nullable !== false;
  const operand = (text: string) => param(text, type.castType);
  return { value: column, operand, descending: direction === -1, nullable };
}
