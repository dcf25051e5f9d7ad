import { COLUMN_TYPES } from '../../columns/index.js';
import { identifier, joined, literal, NOTHING, param, type Sql, sql } from '../../sql/index.js';
import { type CollectionShape, columnsOf } from '../collection-shape.js';

/** The top-level fields to show: `only` these, or all `without` these. */
export type TopLevelFields =
  | { readonly only: ReadonlySet<string> }
  | { readonly without: ReadonlySet<string> };

/** A record as SQL: its JSON text, and the join that the text needs. */
export interface RowJson {
  readonly text: Sql;
  readonly join: Sql;
}

/** Whole records are requested most often, so their SQL is kept. */
const wholeRows = new WeakMap<CollectionShape, RowJson>();

/**
 * A record as JSON built by PostgreSQL, so that rows need not be decoded and encoded. Expects the table as `t`. It is a
 * lateral join because the planner flattens it; a subquery would run for every row.
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
 * SQL of the bytes that the long values of a record take in the table. It is known without reading the values. They are
 * stored compressed, so the text may be some hundred times as long.
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

/** SQL of the flexible fields to show. Their names are parameters. */
function flexible(fields: TopLevelFields | undefined): Sql {
  if (fields === undefined) return sql`t.x`;
  if ('without' in fields) return sql`t.x - ${param([...fields.without], 'text[]')}`;
  const names = param([...fields.only], 'text[]');
  return sql`(SELECT coalesce(jsonb_object_agg(e.key, e.value), '{}') FROM jsonb_each(t.x) e WHERE e.key = ANY(${names}))`;
}

/**
 * SQL of the opaque part of a record's entity tag; the table is `t`. `xmin` changes with every transaction that writes
 * the row, even within a millisecond. The instant distinguishes rows after a restore from a backup, which may reuse an
 * `xmin`. The highest column number grows with every schema change that is visible in records.
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

/** The tag is made once for each version of a collection. */
const tags = new WeakMap<CollectionShape, Sql>();
