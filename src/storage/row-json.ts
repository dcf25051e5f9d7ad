import { COLUMN_TYPES } from '../columns/index.js';
import type { SqlParameters } from '../filter/index.js';
import { type CollectionShape, columnsOf } from './collection-shape.js';

/** Which top-level fields a record shows: `only` those named, or all `without` those named. */
export type TopLevelFields =
  | { readonly only: ReadonlySet<string> }
  | { readonly without: ReadonlySet<string> };

/**
 * SQL text of a record as JSON, built by PostgreSQL so that no row is decoded and encoded again. Expects the table
 * as `t`. The typed columns become one JSON object; the flexible fields are appended as the text they already are.
 */
export function rowJson(
  shape: CollectionShape,
  fields: TopLevelFields | undefined,
  parameters: SqlParameters,
): string {
  const typed = typedColumns(shape, fields);
  const rest = flexible(fields, parameters);
  if (typed.length === 0) return `(${rest})::text`;
  const head = `left((SELECT row_to_json(r)::text FROM (SELECT ${typed.join(', ')}) r), -1)`;
  return rest === 't.x'
    ? `${head} || ${tail(rest)}`
    : `${head} || (SELECT ${tail('f.x')} FROM (SELECT ${rest} AS x) f)`;
}

/** `}` or `,"field":…}`: the JSON object `x` as the end of another. */
function tail(x: string): string {
  return `CASE WHEN ${x} = '{}' THEN '}' ELSE ',' || substr(${x}::text, 2) END`;
}

/** Select list of the shown columns. The names are declared ones: letters, digits and `_`, at most 63 of them. */
function typedColumns(shape: CollectionShape, fields: TopLevelFields | undefined): string[] {
  const { datetime } = COLUMN_TYPES;
  const all: [string, string][] = [
    ['_id', 't._id'],
    ['created_at', datetime.toJson('t.created_at')],
    ['updated_at', datetime.toJson('t.updated_at')],
    ...columnsOf(shape).map(([name, physical, { type }]): [string, string] => [
      name,
      COLUMN_TYPES[type].toJson(`t.${physical}`),
    ]),
  ];
  return all.filter(([name]) => isShown(name, fields)).map(([name, sql]) => `${sql} AS "${name}"`);
}

function isShown(name: string, fields: TopLevelFields | undefined): boolean {
  if (fields === undefined) return true;
  return 'only' in fields ? fields.only.has(name) : !fields.without.has(name);
}

/** SQL of the flexible fields that are shown; their names are parameters. */
function flexible(fields: TopLevelFields | undefined, parameters: SqlParameters): string {
  if (fields === undefined) return 't.x';
  if ('without' in fields) return `t.x - ${parameters.add([...fields.without], 'text[]')}`;
  const names = parameters.add([...fields.only], 'text[]');
  return `(SELECT coalesce(jsonb_object_agg(e.key, e.value), '{}') FROM jsonb_each(t.x) e WHERE e.key = ANY(${names}))`;
}
