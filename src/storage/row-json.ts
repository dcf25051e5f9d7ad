import { COLUMN_TYPES } from '../columns/index.js';
import { type CollectionShape, columnsOf } from './collection-shape.js';

/** Instants as the contract shows them; the session's time zone is UTC. */
const INSTANT = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;

/** Which fields a record shows: `only` the listed top-level names, or all `without` them. */
export type TopLevelFields = { readonly only: ReadonlySet<string> } | { readonly without: ReadonlySet<string> };

export const ALL_FIELDS: TopLevelFields = { without: new Set() };

/**
 * SQL text of a record as JSON, built by PostgreSQL so that no row is decoded and encoded again. Expects the table
 * as `t`. Typed columns become one JSON object; the flexible fields are appended as the text they already are.
 * `flexibleNames` is the placeholder of a text[] with the names a projection lists.
 */
export function rowJson(shape: CollectionShape, fields: TopLevelFields, flexibleNames?: string): string {
  const shown = (name: string) => ('only' in fields ? fields.only.has(name) : !fields.without.has(name));
  const columns = [
    shown('_id') && `t._id AS "_id"`,
    shown('created_at') && `to_char(t.created_at, ${INSTANT}) AS "created_at"`,
    shown('updated_at') && `to_char(t.updated_at, ${INSTANT}) AS "updated_at"`,
    ...columnsOf(shape).map(
      ([name, physical, { type }]) => shown(name) && `${COLUMN_TYPES[type].toJson(`t.${physical}`)} AS "${name}"`,
    ),
  ].filter(column => column !== false);
  const rest = flexible(fields, flexibleNames);
  if (columns.length === 0) return `${rest}::text`;
  const typed = `(SELECT row_to_json(r)::text FROM (SELECT ${columns.join(', ')}) r)`;
  return joined(typed, rest);
}

/** `{"a":1}` and `{"b":2}` as `{"a":1,"b":2}`, without parsing either. */
function joined(typed: string, rest: string): string {
  const tail = (x: string) => `CASE WHEN ${x} = '{}' THEN '}' ELSE ',' || substr(${x}::text, 2) END`;
  return `left(${typed}, -1) || ${rest === 't.x' ? tail(rest) : `(SELECT ${tail('f.x')} FROM (SELECT ${rest} AS x) f)`}`;
}

/** SQL of the flexible fields that are shown. */
function flexible(fields: TopLevelFields, names: string | undefined): string {
  if (names === undefined) return 't.x';
  return 'only' in fields
    ? `(SELECT coalesce(jsonb_object_agg(f.key, f.value), '{}') FROM jsonb_each(t.x) f WHERE f.key = ANY(${names}))`
    : `t.x - ${names}`;
}
