import { COLUMN_TYPES } from '../../columns/index.js';
import { identifier, joined, literal, NOTHING, param, type Sql, sql } from '../../sql/index.js';
import { type CollectionShape, columnsOf } from '../collection-shape.js';

/** Which top-level fields a record shows: `only` those named, or all `without` those named. */
export type TopLevelFields =
  | { readonly only: ReadonlySet<string> }
  | { readonly without: ReadonlySet<string> };

/** A record as SQL: its JSON text, and the join that makes it. */
export interface RowJson {
  readonly text: Sql;
  readonly join: Sql;
}

/** Whole records are what is asked for most. */
const wholeRows = new WeakMap<CollectionShape, RowJson>();

/**
 * A record as JSON built by PostgreSQL, so that no row is decoded and encoded again. Expects the table as `t`. The
 * join is a lateral one because the planner dissolves it; a subquery in its place would be run for every row.
 */
export function rowJson(shape: CollectionShape, fields?: TopLevelFields): RowJson {
  if (fields !== undefined) return madeRow(shape, fields);
  const whole = wholeRows.get(shape) ?? madeRow(shape, undefined);
  wholeRows.set(shape, whole);
  return whole;
}

function madeRow(shape: CollectionShape, fields: TopLevelFields | undefined): RowJson {
  const typed = selectList(shape, fields);
  const rest = flexible(fields);
  if (typed.length === 0) return { text: sql`(${rest})::text`, join: NOTHING };
  // {"a":1} and {"b":2} become {"a":1,"b":2}.
  const both = sql`left(row_to_json(r)::text, -1) || ',' || substr((${rest})::text, 2)`;
  return {
    text: sql`CASE WHEN ${rest} = '{}' THEN row_to_json(r)::text ELSE ${both} END`,
    join: sql`CROSS JOIN LATERAL (SELECT ${joined(typed)}) r`,
  };
}

const LONG_TYPES = new Set(['text', 'json', 'array']);

/**
 * SQL of the bytes that a record's long values take in the table, compressed as they are: known without reading them. Its text
 * is up to some hundred times as long.
 */
export function storedBytes(shape: CollectionShape): Sql {
  const long = columnsOf(shape).filter(({ definition: { type } }) => LONG_TYPES.has(type));
  const stored = [sql`x`, ...long.map(({ column }) => column)];
  return joined(
    stored.map(column => sql`coalesce(pg_column_size(t.${column}), 0)`),
    ' + ',
  );
}

const { datetime } = COLUMN_TYPES;
const SYSTEM_VALUES: readonly [string, Sql][] = [
  ['_id', sql`t._id`],
  ['created_at', datetime.toJson(sql`t.created_at`)],
  ['updated_at', datetime.toJson(sql`t.updated_at`)],
];

function selectList(shape: CollectionShape, fields: TopLevelFields | undefined): Sql[] {
  const declared = columnsOf(shape).filter(({ name }) => isShown(name, fields));
  return [
    ...SYSTEM_VALUES.filter(([name]) => isShown(name, fields)),
    ...declared.map(({ name, column, definition: { type } }): [string, Sql] => [
      name,
      COLUMN_TYPES[type].toJson(sql`t.${column}`),
    ]),
  ].map(([name, value]) => sql`${value} AS ${identifier(name)}`);
}

function isShown(name: string, fields: TopLevelFields | undefined): boolean {
  if (fields === undefined) return true;
  return 'only' in fields ? fields.only.has(name) : !fields.without.has(name);
}

/** SQL of the flexible fields that are shown; their names are parameters. */
function flexible(fields: TopLevelFields | undefined): Sql {
  if (fields === undefined) return sql`t.x`;
  if ('without' in fields) return sql`t.x - ${param([...fields.without], 'text[]')}`;
  const names = param([...fields.only], 'text[]');
  return sql`(SELECT coalesce(jsonb_object_agg(e.key, e.value), '{}') FROM jsonb_each(t.x) e WHERE e.key = ANY(${names}))`;
}

/**
 * SQL of the opaque part of a record's entity tag; the table is `t`. `xmin` is another one after every transaction that
 * wrote the row, also within a millisecond; the instant tells apart what a restored backup numbers again; and the
 * highest number of a column grows with every change of the schema that shows in records.
 */
export function recordTag(shape: CollectionShape): Sql {
  let tag = tags.get(shape);
  if (tag === undefined) {
    const schema = Math.max(0, ...columnsOf(shape).map(({ definition: { number } }) => number));
    tag = sql`(t.xmin::text || '-' || (date_part('epoch', t.updated_at) * 1000)::bigint::text || ${literal(`-${schema}`)})`;
    tags.set(shape, tag);
  }
  return tag;
}

/** Made once for each version of a collection. */
const tags = new WeakMap<CollectionShape, Sql>();
