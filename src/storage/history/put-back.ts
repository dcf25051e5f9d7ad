import { execute, type Queryable } from '../../database/queryable.js';
import { Cte, joined, literal, param, type Sql, sql, withCtes } from '../../sql/index.js';
import {
  ALIVE,
  type CollectionShape,
  columnLists,
  columnOf,
  columnsOf,
  flexibleOf,
  tableOf,
} from '../collection-shape.js';
import { hasCapacity } from '../quota/quota.js';
import { currentWithCapacity, NOW, WRITE_TIME } from '../records/insert.js';
import { sameColumns } from '../records/upsert.js';
import { Stale } from '../stale.js';
import { versionCheck } from '../statement.js';
import { columnThen, flexibleThen } from './past.js';
import { versionsTable } from './versions.js';

/**
 * What a transaction puts back: a row for each record. `version` is the number of the version that the record gets
 * again; 0 means the time before it was inserted. `last` is the number of its newest stored version. Records with a
 * `reason` are not written.
 */
export const PLAN = sql`pg_temp.put_back`;

/**
 * Begins a plan. From here on, versions that the transaction replaces name the event, and it holds the lock that every
 * insert holds. Throws `Stale`.
 */
export async function beginPlan(
  transaction: Queryable,
  shape: CollectionShape,
  eventId: string,
): Promise<void> {
  const current = currentWithCapacity(shape, { holds: hasCapacity(shape, literal(0), literal(0)), eventId });
  const [{ checks }] = await execute(
    transaction,
    withCtes([current], sql`SELECT count(*)::int AS checks FROM ${current}`),
  );
  if (checks === 0) throw new Stale();
  await transaction.query(`CREATE TEMP TABLE put_back (
    record_id uuid PRIMARY KEY, version integer NOT NULL, last integer, present boolean, reason text, event_id uuid
  ) ON COMMIT DROP`);
}

/**
 * Locks the records of the plan, in the order of ids as every write does, and finds which are present. Removed expired
 * and erased records leave the plan. Throws `Stale`.
 */
export async function lockPlanned(transaction: Queryable, shape: CollectionShape): Promise<void> {
  await transaction.query('ANALYZE pg_temp.put_back');
  const table = tableOf(shape);
  const [row] = await execute(
    transaction,
    sql`WITH locked AS MATERIALIZED (
      SELECT FROM ${table} t WHERE t._id IN (SELECT record_id FROM ${PLAN}) AND ${ALIVE} ORDER BY t._id FOR UPDATE OF t)
    SELECT (SELECT count(*) FROM locked) FROM (${versionCheck(shape)}) f`,
  );
  if (row === undefined) throw new Stale();
  // A statement of its own, so that it sees what other writes have committed before they gave up their locks.
  await execute(
    transaction,
    sql`UPDATE ${PLAN} p SET present = s.present, last = s.last FROM (
      SELECT q.record_id, t._id IS NOT NULL AS present, coalesce(l.version, 0) AS last, l.deleted
      FROM ${PLAN} q LEFT JOIN ${table} t ON t._id = q.record_id AND ${ALIVE}
      LEFT JOIN LATERAL (
        SELECT v.version, v.record IS NULL AS deleted FROM ${versionsTable(shape.orgId)} v
        WHERE v.collection_id = ${param(shape.id, 'uuid')} AND v.record_id = q.record_id
        ORDER BY v.version DESC LIMIT 1) l ON true) s
    WHERE p.record_id = s.record_id AND (s.present OR s.deleted)`,
  );
  await execute(transaction, sql`DELETE FROM ${PLAN} WHERE present IS NULL`);
}

/**
 * Removes from the plan the deleted records that stay deleted, and those that would have expired. Resolves to false
 * when a version of the plan is no longer kept.
 */
export async function dropSettled(transaction: Queryable, shape: CollectionShape): Promise<boolean> {
  const version = planned(shape, sql`v`);
  const [{ missing }] = await execute(
    transaction,
    sql`WITH settled AS (
      DELETE FROM ${PLAN} p WHERE p.reason IS NULL AND NOT p.present AND (p.version = 0 OR EXISTS (
        SELECT FROM ${version} AND (v.record IS NULL OR v.expires_at <= statement_timestamp()))))
    SELECT EXISTS (
      SELECT FROM ${PLAN} p WHERE p.version > 0 AND NOT EXISTS (
        SELECT FROM ${version} AND v.record IS DISTINCT FROM '')) AS missing`,
  );
  return !missing;
}

/** SQL of the version that the plan `p` names: `versions v WHERE …`. */
function planned({ id, orgId }: CollectionShape, v: Sql): Sql {
  return sql`${versionsTable(orgId)} ${v} WHERE ${v}.collection_id = ${param(id, 'uuid')} AND ${v}.record_id = p.record_id AND ${v}.version = p.version`;
}

/**
 * SQL of the records that the plan puts back with content, as rows with the columns of today. A column that did not
 * exist then keeps its present value.
 */
function targets(shape: CollectionShape): Sql {
  const columns = columnsOf(shape).map(
    column =>
      sql`, CASE WHEN d.was ? ${literal(column.name)} THEN ${columnThen(column)} ELSE t.${column.column} END AS ${column.column}`,
  );
  return sql`(
    SELECT p.record_id, p.present, p.last, w.expires_at, d.was, (d.was ->> 'created_at')::timestamptz AS created_at,
      ${flexibleThen(shape)} AS x${joined(columns, '')}
    FROM ${PLAN} p
    CROSS JOIN LATERAL (SELECT v.expires_at, v.record FROM ${planned(shape, sql`v`)} AND v.record IS NOT NULL) w
    CROSS JOIN LATERAL (SELECT w.record::jsonb AS was OFFSET 0) d
    LEFT JOIN ${tableOf(shape)} t ON t._id = p.record_id
    WHERE p.reason IS NULL)`;
}

/** A value that does not fit its column of today. */
export interface PastMisfit {
  readonly record_id: string;
  readonly column: string;
}

/** The first records of the plan that do not fit the columns of today. */
export async function misfitsOfPlan(
  transaction: Queryable,
  shape: CollectionShape,
  limit: number,
): Promise<PastMisfit[]> {
  const cases = columnsOf(shape).map(({ name, column, definition: { nullable } }) => {
    const lost = sql`r.${column} IS NULL AND coalesce(r.was -> ${literal(name)}, 'null') <> 'null'`;
    const isMisfit = nullable ? lost : sql`r.${column} IS NULL`;
    return sql`CASE WHEN ${isMisfit} THEN ${literal(name)} END`;
  });
  if (cases.length === 0) return [];
  return execute(
    transaction,
    sql`SELECT m.record_id::text, m."column" FROM (
      SELECT r.record_id, coalesce(${joined(cases)}, NULL) AS "column" FROM ${targets(shape)} r) m
    WHERE m."column" IS NOT NULL LIMIT ${literal(limit)}`,
  );
}

/**
 * Marks records of the plan whose values in the columns of a unique constraint another record has, or would have after
 * the plan. Resolves to their number.
 */
export async function markRepeated(
  transaction: Queryable,
  shape: CollectionShape,
  unique: readonly string[],
): Promise<number> {
  const columns = unique.map(name => columnOf(shape, name));
  const own = joined(columns.map(column => sql`r.${column}`));
  const [{ marked }] = await execute(
    transaction,
    sql`WITH target AS MATERIALIZED (
      SELECT r.record_id, ${own} FROM ${targets(shape)} r
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
        SELECT r.record_id, count(*) OVER (PARTITION BY ${own}) AS times FROM target r) n WHERE n.times > 1),
    marked AS (
      UPDATE ${PLAN} p SET reason = 'unique', event_id = NULL
      WHERE p.record_id IN (SELECT record_id FROM repeated) RETURNING 1)
    SELECT count(*)::int AS marked FROM marked`,
  );
  return marked;
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
    sql`SELECT coalesce(array_agg(DISTINCT t._id::text), '{}') AS ids FROM ${targets(shape)} r
    JOIN ${tableOf(shape)} t ON ${sameColumns(shape, unique)} AND t._id <> r.record_id
    WHERE r.present AND EXISTS (
      SELECT FROM ${PLAN} p WHERE p.record_id = t._id AND p.reason IS NULL
        AND EXISTS (SELECT FROM ${planned(shape, sql`v`)} AND v.record IS NOT NULL))`,
  );
  return ids;
}

/** What a plan wrote. */
export interface PutBack {
  readonly updated: number;
  readonly inserted: number;
  readonly deleted: number;
  /** The ids of the first records. */
  readonly ids: readonly string[];
}

/**
 * Puts back the records of the plan that have no reason not to: deletes, updates and inserts, in this order, so that a
 * unique value that one record gives up is free for another. An inserted record keeps its id and `created_at`. A record
 * that has all values already is not written. The versions that this ends tell which one was put back.
 */
export async function putBack(
  transaction: Queryable,
  shape: CollectionShape,
  eventId: string,
  mostIds: number,
): Promise<PutBack> {
  const table = tableOf(shape);
  const { names, ofRow } = columnLists(shape);
  const columns = columnsOf(shape).map(({ column }) => column);
  const ended = (cte: Cte) => sql`(SELECT count(*) FROM ${cte}) >= 0`;
  const deleted = new Cte(
    'deleted',
    sql`DELETE FROM ${table} t USING ${PLAN} p
      WHERE t._id = p.record_id AND p.present AND p.reason IS NULL
        AND NOT EXISTS (SELECT FROM ${planned(shape, sql`v`)} AND v.record IS NOT NULL)
      RETURNING t._id`,
  );
  const expiry = sql`CASE WHEN r.expires_at <= statement_timestamp() THEN t.expires_at ELSE r.expires_at END`;
  const differs = [
    sql`${flexibleOf(shape)} IS DISTINCT FROM r.x`,
    sql`t.expires_at IS DISTINCT FROM ${expiry}`,
    ...columns.map(column => sql`t.${column} IS DISTINCT FROM r.${column}`),
  ];
  const updated = new Cte(
    'updated',
    sql`UPDATE ${table} t SET updated_at = ${WRITE_TIME}, expires_at = ${expiry}, x = r.x${joined(
      columns.map(column => sql`, ${column} = r.${column}`),
      '',
    )}
      FROM ${targets(shape)} r
      WHERE t._id = r.record_id AND r.present AND (${joined(differs, ' OR ')}) AND ${ended(deleted)}
      RETURNING t._id`,
  );
  const [id, versions] = [param(shape.id, 'uuid'), versionsTable(shape.orgId)];
  const inserted = new Cte(
    'inserted',
    sql`INSERT INTO ${table} (_id, created_at, updated_at, expires_at, x${names})
      SELECT r.record_id, r.created_at, greatest(${NOW}, l.valid_from), r.expires_at, r.x${ofRow}
      FROM ${targets(shape)} r
      JOIN ${versions} l ON l.collection_id = ${id} AND l.record_id = r.record_id AND l.version = r.last
      WHERE NOT r.present AND ${ended(deleted)} AND ${ended(updated)} ORDER BY r.record_id
      RETURNING _id`,
  );
  const count = (cte: Cte) => sql`(SELECT count(*) FROM ${cte})::int`;
  const all = joined(
    [deleted, updated, inserted].map(cte => sql`SELECT _id FROM ${cte}`),
    ' UNION ALL ',
  );
  const [written]: [PutBack] = await execute(
    transaction,
    withCtes(
      [deleted, updated, inserted],
      sql`SELECT ${count(deleted)} AS deleted, ${count(updated)} AS updated, ${count(inserted)} AS inserted,
        ARRAY(SELECT _id::text FROM (${all}) w LIMIT ${literal(mostIds)}) AS ids`,
    ),
  );
  const event = param(eventId, 'uuid');
  await execute(
    transaction,
    sql`UPDATE ${versions} v SET put_back = p.version, event_id = ${event} FROM ${PLAN} p
    WHERE p.reason IS NULL AND v.collection_id = ${id} AND v.record_id = p.record_id
      AND v.version = CASE WHEN p.present THEN p.last + 1 ELSE p.last END AND (NOT p.present OR v.event_id = ${event})`,
  );
  return written;
}

/** Records of the plan that cannot be put back, or not without losing other writes. */
export interface PlanConflict {
  readonly record_id: string;
  readonly reason: string;
  /** The newest write that is in the way; null when none is known. */
  readonly event_id: string | null;
}

/** The records of the plan that have a reason: their number, and the first of them. */
export async function conflictsOfPlan(
  transaction: Queryable,
  limit: number,
): Promise<{ count: number; first: readonly PlanConflict[] }> {
  const first: PlanConflict[] = await execute(
    transaction,
    sql`SELECT record_id::text, reason, event_id::text FROM ${PLAN} WHERE reason IS NOT NULL
    ORDER BY record_id LIMIT ${literal(limit)}`,
  );
  if (first.length < limit) return { count: first.length, first };
  const [{ count }] = await execute(
    transaction,
    sql`SELECT count(*)::int AS count FROM ${PLAN} WHERE reason IS NOT NULL`,
  );
  return { count, first };
}

/** Lets the records of the plan be put back in spite of their reasons. */
export async function overrideReasons(transaction: Queryable): Promise<void> {
  await execute(transaction, sql`UPDATE ${PLAN} SET reason = NULL, event_id = NULL WHERE reason IS NOT NULL`);
}
