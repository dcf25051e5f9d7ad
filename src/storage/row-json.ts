import { COLUMN_TYPES } from '../columns/index.js';
import type { SqlParameters } from '../filter/index.js';
import { type CollectionShape, columnsOf } from './collection-shape.js';

/** Which top-level fields a record shows: `only` those named, or all `without` those named. */
export type TopLevelFields =
  | { readonly only: ReadonlySet<string> }
  | { readonly without: ReadonlySet<string> };

/** A record as SQL: its JSON text, and the join that makes it. */
export interface RowJson {
  readonly text: string;
  readonly join: string;
}

/**
 * A record as JSON built by PostgreSQL, so that no row is decoded and encoded again. Expects the table as `t`. The
 * join is a lateral one because the planner dissolves it; a subquery in its place would be run for every row.
 */
export function rowJson(
  shape: CollectionShape,
  fields: TopLevelFields | undefined,
  parameters: SqlParameters,
): RowJson {
  const typed = typedColumns(shape, fields);
  const rest = flexible(fields, parameters);
  if (typed === '') return { text: `(${rest})::text`, join: '' };
  // {"a":1} and {"b":2} become {"a":1,"b":2}.
  const both = `left(row_to_json(r)::text, -1) || ',' || substr((${rest})::text, 2)`;
  return {
    text: `CASE WHEN ${rest} = '{}' THEN row_to_json(r)::text ELSE ${both} END`,
    join: `CROSS JOIN LATERAL (SELECT ${typed}) r`,
  };
}

/**
 * SQL of the bytes that a record's long values take in the table, compressed as they are: known without reading them. Its text
 * is up to some hundred times as long.
 */
export function storedBytes(shape: CollectionShape): string {
  const long = columnsOf(shape).filter(([, , { type }]) => LONG_TYPES.has(type));
  return ['t.x', ...long.map(([, physical]) => `t.${physical}`)]
    .map(column => `coalesce(pg_column_size(${column}), 0)`)
    .join(' + ');
}

const LONG_TYPES = new Set(['text', 'json', 'array']);

/** Whole records are what is asked for most. */
const wholeRows = new WeakMap<CollectionShape, string>();

function typedColumns(shape: CollectionShape, fields: TopLevelFields | undefined): string {
  if (fields !== undefined) return selectList(shape, fields);
  const whole = wholeRows.get(shape) ?? selectList(shape, undefined);
  wholeRows.set(shape, whole);
  return whole;
}

/** The names are declared ones: letters, digits and `_`, at most 63 of them. */
function selectList(shape: CollectionShape, fields: TopLevelFields | undefined): string {
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
  const shown = all.filter(([name]) => isShown(name, fields));
  return shown.map(([name, sql]) => `${sql} AS "${name}"`).join(', ');
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
