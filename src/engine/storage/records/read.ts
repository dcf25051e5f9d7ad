import { literal, NOTHING, param, type Sql, sql } from '../../../base/sql/index.js';
import type { Rows } from '../../../platform/database/statements.js';
import { compileFilter, type Filter } from '../../filter/index.js';
import { alive, type CollectionShape } from '../collection-shape.js';
import { ResultColumns } from '../result-columns.js';
import { formForMany, type Read, unlessLong, versionCheck } from '../statement.js';
import { flexibleOf, tableOf, tableShape } from '../table-sql.js';
import { ALL_WITH_AUTHORS } from './projection.js';
import { recordTag, rowJson, type TopLevelFields } from './row-json.js';

/** A record as JSON text, with its entity tag. */
export interface FoundRecord {
  /** Null when the record does not exist. */
  readonly record: string | null;
  /** Null for a record of the past. */
  readonly tag: string | null;
}

interface Place {
  readonly position: number;
}

type ReadOfAny = Omit<Required<Read<FoundRecord>>, 'variable' | 'ctes'>;

/** Parameters that stand for the ids of the records. */
const ANY_ID = param('any', 'uuid');
const ANY_IDS = param('any', 'uuid[]');
/** Reads by id are frequent, so their statement is made once for each version of a collection. */
const reads = new WeakMap<CollectionShape, ReadOfAny>();
const authoredReads = new WeakMap<CollectionShape, ReadOfAny>();

/** Reads a record, `withAuthors` on request; its text is limited (`unlessLong`). */
export function getStatement(
  shape: CollectionShape,
  recordId: string,
  withAuthors = false,
): Read<FoundRecord> {
  const made = withAuthors ? authoredReads : reads;
  let read = made.get(shape);
  if (read === undefined) {
    read = readOfAny(shape, withAuthors ? ALL_WITH_AUTHORS : undefined);
    made.set(shape, read);
  }
  const { query, longest, forMany, decode } = read;
  return { query, longest, forMany, decode, variable: { param: ANY_ID, value: recordId } };
}

function readOfAny(shape: CollectionShape, fields: TopLevelFields | undefined): ReadOfAny {
  const { text, join } = rowJson(shape, fields);
  const { shown, longest } = unlessLong(sql`r.record`);
  const check = versionCheck(shape);
  const record = { record: sql`p.record`, tag: sql`p.tag` };
  const columns = new ResultColumns<FoundRecord>(record);
  // Each read gets its row with the same first columns as from the query for one record.
  const several = new ResultColumns<FoundRecord & Place>({ ...record, position: sql`w.position::integer` });
  const found = (id: Sql) => sql`LEFT JOIN LATERAL (
      SELECT ${shown} AS record, r.tag FROM (
        SELECT ${text} AS record, ${shape.pastRecords === undefined ? recordTag(shape) : sql`NULL`} AS tag FROM ${tableOf(shape)} t ${join}
        WHERE t._id = ${id} AND ${alive(shape)} LIMIT 1) r) p ON true`;
  const query = sql`
    SELECT ${columns.list} FROM (${check}) f ${found(sql`${ANY_ID}`)}`;
  const queryForMany = sql`
    SELECT ${several.list} FROM (${check}) f CROSS JOIN unnest(${ANY_IDS}) WITH ORDINALITY AS w(id, position)
    ${found(sql`w.id`)}`;
  const forMany = formForMany(queryForMany, ANY_IDS, row => several.value(row, 'position'));
  return { query, longest, forMany, decode: ([row]) => columns.object(row!) };
}

/** SQL of the records that a filter selects: `FROM … WHERE …`; the table is `t`, joined with `join`. */
export function selected(shape: CollectionShape, filter: Filter | undefined, join = NOTHING): Sql {
  return from(shape, selecting(shape, filter), join);
}

/** SQL of the records that satisfy a condition. */
export function from(shape: CollectionShape, condition: Sql, join: Sql): Sql {
  return sql`FROM ${tableOf(shape)} t ${join} WHERE ${condition}`;
}

/** SQL that is true for the records that a filter selects; without a filter all that have not expired. */
export function selecting(shape: CollectionShape, filter: Filter | undefined): Sql {
  return filter === undefined ? alive(shape) : sql`${alive(shape)} AND ${filtering(shape, filter)}`;
}

/** SQL of a filter alone. */
export function filtering(shape: CollectionShape, filter: Filter | undefined): Sql {
  return filter === undefined ? sql`true` : sql`(${compileFilter(filter, tableShape(shape))})`;
}

export function countStatement(shape: CollectionShape, filter: Filter | undefined): Read<number> {
  const check = versionCheck(shape);
  return {
    query: sql`SELECT (SELECT count(*)::float8 ${selected(shape, filter)}) FROM (${check}) f`,
    decode: onlyValue,
  };
}

/** Texts in order. */
export interface Texts {
  readonly texts: readonly string[];
  /** True when further texts were left out because of their size. */
  readonly isCut: boolean;
}

/** The texts of a result of one column. One row of null stands for no text. */
export function textsOf(rows: Rows): Texts {
  const texts = rows.flatMap(([text]) => (typeof text === 'string' ? [text] : []));
  return { texts, isCut: rows.isCut === true };
}

/** The value of a result of one row and one column. */
function onlyValue<T>(rows: Rows): T {
  return rows[0]?.[0] as T;
}

/** Field names are taken from this many of the newest records, without large ones. */
const NEWEST = literal(50);
const LARGE_BYTES = literal(64 * 1024);
const MAX_NAMES = literal(1_000);

/** The names of the newest records' flexible fields. */
export function fieldNamesStatement(shape: CollectionShape): Read<string[]> {
  const check = versionCheck(shape);
  const query = sql`
    SELECT (
      SELECT coalesce(json_agg(name), '[]')::text FROM (
        SELECT DISTINCT jsonb_object_keys(newest.x) AS name FROM (
          SELECT ${flexibleOf(shape)} AS x FROM ${tableOf(shape)} t WHERE ${alive(shape)} ORDER BY t._id DESC LIMIT ${NEWEST}) newest
        WHERE pg_column_size(newest.x) < ${LARGE_BYTES} LIMIT ${MAX_NAMES}) names
    ) FROM (${check}) f`;
  return { query, decode: rows => JSON.parse(onlyValue(rows)) };
}
