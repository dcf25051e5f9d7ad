import { literal, type Sql, sql } from '../../../base/sql/index.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import { ALIVE, type CollectionShape } from '../collection-shape.js';
import { hasCapacity } from '../quota/quota.js';
import { currentWithCapacity } from '../records/insert.js';
import { fingerprintOfHashes } from '../records/selection.js';
import { Stale } from '../stale.js';
import { ruledCheck, type Statement } from '../statement.js';
import type { RecordTransaction } from '../table-access.js';
import type { TableServer } from '../table-server.js';
import { tableOf } from '../table-sql.js';
import { isDeletion, isKept, versionsTable } from './history-table.js';

/**
 * What a transaction puts back: a row for each record. `version` is the number of the version that the record gets
 * again; 0 means the time before it was inserted. `last` is the number of the version before the
 * present one, or that of the newest version of a deleted record. Records with a `reason` are not written.
 */
export const PLAN = sql`pg_temp.put_back`;

/** A transaction that puts back records. */
export interface PutBackTransaction {
  /** For statements about the collection and the event. */
  readonly transaction: RecordTransaction;
  /** For statements about the plan, the records and their versions. */
  readonly server: TableServer;
}

/**
 * The statement before a plan. From there on, versions that the transaction replaces name the event, and it holds the
 * lock that every insert holds.
 */
export function beginStatement(shape: CollectionShape, eventId: string): Statement {
  const current = currentWithCapacity(shape, { holds: hasCapacity(shape, literal(0), literal(0)), eventId });
  return { ctes: [current], query: sql`SELECT count(*)::int FROM ${current}` };
}

/** Creates an empty plan. */
export function createPlan(server: TableServer): Promise<void> {
  return server.createTemporary(
    'put_back',
    sql`record_id uuid PRIMARY KEY, version integer NOT NULL, last integer, present boolean, reason text, event_id uuid`,
  );
}

/**
 * Locks the records of the plan, in the order of ids as every write does, and finds which are present. Removes
 * records from the plan that were erased or have expired. Throws `Stale`.
 */
export async function lockPlanned(transaction: Queryable, shape: CollectionShape): Promise<void> {
  await transaction.query('ANALYZE pg_temp.put_back');
  const table = tableOf(shape);
  const [row] = await execute(
    transaction,
    sql`WITH locked AS MATERIALIZED (
      SELECT FROM ${table} t WHERE t._id IN (SELECT record_id FROM ${PLAN}) AND ${ALIVE} ORDER BY t._id FOR UPDATE OF t)
    SELECT (SELECT count(*) FROM locked) FROM (${ruledCheck(shape)}) f`,
  );
  if (row === undefined) throw new Stale();
  // A separate statement: its snapshot includes what other transactions have committed before they released the locks.
  await execute(
    transaction,
    sql`UPDATE ${PLAN} p SET present = s.present, last = s.last FROM (
      SELECT q.record_id, t._id IS NOT NULL AS present, coalesce(t.version - 1, l.version) AS last, l.deleted
      FROM ${PLAN} q LEFT JOIN ${table} t ON t._id = q.record_id AND ${ALIVE}
      LEFT JOIN LATERAL (
        SELECT v.version, ${isDeletion(sql`v`)} AS deleted FROM ${versionsTable(shape)} v WHERE v.record_id = q.record_id
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
  const v = sql`v`;
  const version = planned(shape, v);
  const [{ missing }] = await execute(
    transaction,
    sql`WITH settled AS (
      DELETE FROM ${PLAN} p WHERE p.reason IS NULL AND NOT p.present AND (p.version = 0 OR EXISTS (
        SELECT FROM ${version} AND (${isDeletion(v)} OR v.expires_at <= statement_timestamp()))))
    SELECT EXISTS (
      SELECT FROM ${PLAN} p WHERE p.version > 0 AND NOT EXISTS (
        SELECT FROM ${version} AND ${isKept(v)})) AS missing`,
  );
  return !missing;
}

/** SQL of the version that the plan `p` names: `versions v WHERE …`. */
function planned(shape: CollectionShape, v: Sql): Sql {
  return sql`${versionsTable(shape)} ${v} WHERE ${v}.record_id = p.record_id AND ${v}.version = p.version`;
}

/** Records of the plan that cannot be put back, or not without losing other writes. */
export interface PlanConflict {
  readonly record_id: string;
  readonly reason: string;
  /** The newest write that conflicts; null when none is known. */
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

/** The same for the same plan: the records to put back, the version that each gets again, and the one that it has now. */
export async function fingerprintOfPlan(transaction: Queryable): Promise<string> {
  const hash = sql`hashtextextended(concat_ws(' ', record_id, version, last, present), 0)`;
  const [{ fingerprint }] = await execute(
    transaction,
    sql`SELECT ${fingerprintOfHashes(hash)} AS fingerprint FROM ${PLAN} WHERE reason IS NULL`,
  );
  return fingerprint;
}

/** Removes the reasons of the records of the plan, so that they are put back although they conflict. */
export async function overrideReasons(transaction: Queryable): Promise<void> {
  await execute(transaction, sql`UPDATE ${PLAN} SET reason = NULL, event_id = NULL WHERE reason IS NOT NULL`);
}
