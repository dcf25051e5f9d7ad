import { literal, NOTHING, param, type Sql, sql } from '../../../base/sql/index.js';
import { compileFilter, type Filter } from '../../filter/index.js';
import { alive, type CollectionShape } from '../collection-shape.js';
import { formForMany, type Statement, unlessLong, versionCheck } from '../statement.js';
import { flexibleOf, tableOf, tableShape } from '../table-sql.js';
import { recordTag, rowJson } from './row-json.js';

/** Parameters that stand for the ids of the records. */
const ANY_ID = param('any', 'uuid');
const ANY_IDS = param('any', 'uuid[]');
/** Reads by id are frequent, so their statement is made once for each version of a collection. */
const getStatements = new WeakMap<CollectionShape, Omit<Required<Statement>, 'open' | 'ctes'>>();

/**
 * One row: the record as JSON text (`unlessLong`) and its entity tag, both null when the record does not exist. A record
 * of the past has no tag. No row when the version check failed.
 */
export function getStatement(shape: CollectionShape, recordId: string): Statement {
  let statement = getStatements.get(shape);
  if (statement === undefined) {
    statement = getAny(shape);
    getStatements.set(shape, statement);
  }
  const { query, longest, forMany } = statement;
  return { query, longest, forMany, open: { param: ANY_ID, value: recordId } };
}

function getAny(shape: CollectionShape): Omit<Required<Statement>, 'open' | 'ctes'> {
  const record = rowJson(shape);
  const { shown, longest } = unlessLong(sql`r.record`);
  const tag = shape.past === undefined ? recordTag(shape) : sql`NULL`;
  const check = versionCheck(shape);
  const found = (id: Sql) => sql`LEFT JOIN LATERAL (
      SELECT ${shown}, r.tag FROM (
        SELECT ${record.text} AS record, ${tag} AS tag FROM ${tableOf(shape)} t ${record.join}
        WHERE t._id = ${id} AND ${alive(shape)} LIMIT 1) r) p ON true`;
  const query = sql`
    SELECT p.* FROM (${check}) f ${found(sql`${ANY_ID}`)}`;
  const several = sql`
    SELECT p.*, w.position::integer FROM (${check}) f CROSS JOIN unnest(${ANY_IDS}) WITH ORDINALITY AS w(id, position)
    ${found(sql`w.id`)}`;
  return { query, longest, forMany: formForMany(several, ANY_IDS) };
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

/** One row: `[count]`; no row when the version check failed. */
export function countStatement(shape: CollectionShape, filter: Filter | undefined): Statement {
  const check = versionCheck(shape);
  return {
    query: sql`SELECT (SELECT count(*)::float8 ${selected(shape, filter)}) FROM (${check}) f`,
  };
}

/** Field names are taken from this many of the newest records, without large ones. */
const NEWEST = literal(50);
const LARGE_BYTES = literal(64 * 1024);
const MAX_NAMES = literal(1_000);

/** One row: the names of the newest records' flexible fields as a JSON list. No row when the version check failed. */
export function fieldNamesStatement(shape: CollectionShape): Statement {
  const check = versionCheck(shape);
  const query = sql`
    SELECT (
      SELECT coalesce(json_agg(name), '[]')::text FROM (
        SELECT DISTINCT jsonb_object_keys(newest.x) AS name FROM (
          SELECT ${flexibleOf(shape)} AS x FROM ${tableOf(shape)} t WHERE ${alive(shape)} ORDER BY t._id DESC LIMIT ${NEWEST}) newest
        WHERE pg_column_size(newest.x) < ${LARGE_BYTES} LIMIT ${MAX_NAMES}) names
    ) FROM (${check}) f`;
  return { query };
}
