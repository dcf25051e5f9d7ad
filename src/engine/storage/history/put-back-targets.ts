import { joined, literal, type Sql, sql } from '../../../base/sql/index.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import { COLUMN_TYPES } from '../../columns/index.js';
import { ALIVE, type CollectionShape, columnOf } from '../collection-shape.js';
import { sameColumns } from '../records/upsert.js';
import type { TableServer } from '../table-server.js';
import { columnsOf, type TableColumn, tableOf } from '../table-sql.js';
import { versionsTable } from './history-table.js';
import { PLAN } from './plan.js';
import { columnThen, earlierFields, flexibleThen, hadField } from './version-content.js';

/** The table behind `TARGETS`, also of records with a reason that they have got since. */
export const STORED_TARGETS = sql`pg_temp.put_back_target`;
/** Which record has a unique value now that the plan gives to another record. */
const HOLDERS = sql`pg_temp.put_back_holder`;

/**
 * SQL of the records that the plan puts back with content: `record_id`, `present` and `last` of the plan, `created_at`,
 * `created_by`, `expires_at`, `x`, and the present columns. `fillTargets` has read them from the versions, once for all statements.
 */
export const TARGETS = sql`(SELECT s.*, p.present, p.last FROM ${STORED_TARGETS} s JOIN ${PLAN} p USING (record_id) WHERE p.reason IS NULL)`;

/** Reads the versions that the plan puts back. A column that did not exist then keeps its present value. */
export async function fillTargets(server: TableServer, shape: CollectionShape): Promise<void> {
  const columns = columnsOf(shape);
  const list = (of: (column: TableColumn) => Sql) =>
    joined(
      columns.map(column => sql`, ${of(column)}`),
      '',
    );
  await server.createTemporary(
    'put_back_target',
    sql`record_id uuid PRIMARY KEY, created_at timestamptz, created_by uuid, expires_at timestamptz, misfit text, x jsonb
      ${list(({ column, definition: { type } }) => sql`${column} ${COLUMN_TYPES[type].sqlType}`)}`,
  );
  const value = (column: TableColumn) =>
    sql`CASE WHEN ${hadField(shape, column)} THEN ${columnThen(shape, column)} ELSE t.${column.column} END AS ${column.column}`;
  await execute(
    server,
    sql`INSERT INTO ${STORED_TARGETS} (record_id, created_at, created_by, expires_at, misfit, x${list(({ column }) => column)})
    SELECT r.record_id, r.created_at, r.created_by, r.expires_at, ${misfit(columns)}, r.x${list(({ column }) => sql`r.${column}`)} FROM (
      SELECT p.record_id, v.created_at, v.created_by, v.expires_at, ${earlierFields(shape)} AS was, ${flexibleThen(shape)} AS x${list(value)}
      FROM ${PLAN} p
      JOIN ${versionsTable(shape)} v ON v.record_id = p.record_id AND v.version = p.version AND v.schema IS NOT NULL
      LEFT JOIN ${tableOf(shape)} t ON t._id = p.record_id
      WHERE p.reason IS NULL OFFSET 0) r`,
  );
  await server.query('ANALYZE pg_temp.put_back_target');
}

/** SQL of the name of the first present column that cannot store the earlier value; null when there is none. */
function misfit(columns: readonly TableColumn[]): Sql {
  const cases = columns.map(({ name, column, definition: { nullable } }) => {
    const lost = sql`r.${column} IS NULL AND coalesce(r.was -> ${literal(name)}, 'null') <> 'null'`;
    return sql`WHEN ${nullable ? lost : sql`r.${column} IS NULL`} THEN ${literal(name)} `;
  });
  return cases.length === 0 ? sql`NULL` : sql`CASE ${joined(cases, '')}END`;
}

/** An earlier value that does not fit the present column. */
export interface PastMisfit {
  readonly record_id: string;
  readonly column: string;
}

/** The first records of the plan that do not fit the present columns. */
export function misfits(transaction: Queryable, limit: number): Promise<PastMisfit[]> {
  return execute(
    transaction,
    sql`SELECT r.record_id::text, r.misfit AS "column" FROM ${TARGETS} r
    WHERE r.misfit IS NOT NULL LIMIT ${literal(limit)}`,
  );
}

/**
 * Marks records of the plan whose values in the columns of a unique constraint another record has, or would have after
 * the plan.
 */
export async function markRepeated(
  transaction: Queryable,
  shape: CollectionShape,
  unique: readonly string[],
): Promise<void> {
  const columns = unique.map(name => columnOf(shape, name));
  const own = joined(columns.map(column => sql`r.${column}`));
  await execute(
    transaction,
    sql`UPDATE ${PLAN} p SET reason = 'unique', event_id = NULL WHERE p.record_id IN (WITH target AS MATERIALIZED (
      SELECT r.record_id, ${own} FROM ${TARGETS} r
      WHERE ${joined(
        columns.map(column => sql`r.${column} IS NOT NULL`),
        ' AND ',
      )}),
    repeated AS (
      SELECT r.record_id FROM target r WHERE EXISTS (
        SELECT FROM ${tableOf(shape)} t WHERE ${sameColumns(shape, unique)} AND ${ALIVE}
          AND NOT EXISTS (SELECT FROM ${PLAN} o WHERE o.record_id = t._id AND o.reason IS NULL))
      UNION ALL
      SELECT n.record_id FROM (
        SELECT r.record_id, count(*) OVER (PARTITION BY ${own}) AS times FROM target r) n WHERE n.times > 1)
    SELECT record_id FROM repeated)`,
  );
}

/**
 * Marks records of the plan that would get a unique value of a record with a reason, then those that would get a unique
 * value of these, and so on. `markRepeated` has been called for each unique constraint before.
 */
export async function markFollowing(
  server: TableServer,
  shape: CollectionShape,
  uniques: readonly { readonly properties: readonly string[] }[],
): Promise<void> {
  if (uniques.length === 0) return;
  await server.createTemporary(
    'put_back_holder',
    sql`holder uuid, record_id uuid, PRIMARY KEY (holder, record_id)`,
  );
  const holders = uniques.map(
    ({ properties }) => sql`SELECT t._id, r.record_id FROM ${TARGETS} r
      JOIN ${tableOf(shape)} t ON ${sameColumns(shape, properties)} AND t._id <> r.record_id WHERE ${ALIVE}`,
  );
  await execute(
    server,
    sql`INSERT INTO ${HOLDERS} (holder, record_id)
    SELECT DISTINCT h.* FROM (${joined(holders, ' UNION ALL ')}) h WHERE EXISTS (SELECT FROM ${PLAN} WHERE reason IS NOT NULL)`,
  );
  // OFFSET 0 keeps the index lookup for each record: a join could read all holders again for each link of a chain.
  await execute(
    server,
    sql`UPDATE ${PLAN} p SET reason = 'unique', event_id = NULL
    WHERE p.reason IS NULL AND p.record_id IN (
      WITH RECURSIVE marked AS (
        SELECT record_id FROM ${PLAN} WHERE reason IS NOT NULL
        UNION
        SELECT h.record_id FROM marked m
        CROSS JOIN LATERAL (SELECT record_id FROM ${HOLDERS} WHERE holder = m.record_id OFFSET 0) h)
      SELECT record_id FROM marked)`,
  );
}

/**
 * Ids of the records that have a unique value which the plan gives to another record. PostgreSQL checks a unique index
 * after each row, so these need other values first.
 */
export async function exchangedKeys(
  transaction: Queryable,
  shape: CollectionShape,
  unique: readonly string[],
): Promise<string[]> {
  const [{ ids }] = await execute(
    transaction,
    sql`SELECT coalesce(array_agg(DISTINCT t._id::text), '{}') AS ids FROM ${TARGETS} r
    JOIN ${tableOf(shape)} t ON ${sameColumns(shape, unique)} AND t._id <> r.record_id
    WHERE r.present AND t._id IN (SELECT record_id FROM ${TARGETS} o)`,
  );
  return ids;
}
