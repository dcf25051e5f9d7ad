import { Cte, NOTHING, param, type Sql, sql } from '../../../base/sql/index.js';
import { lockKey } from '../../../platform/database/advisory-locks.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import type { TagCondition } from '../../../platform/http/entity-tags.js';
import { ALIVE, type CollectionShape } from '../collection-shape.js';
import { returnedCte } from '../quota/quota.js';
import { tagSatisfies } from '../records/row-json.js';
import { currentVersion, type Statement } from '../statement.js';
import type { RecordTransaction } from '../table-access.js';
import { tableOf } from '../table-sql.js';
import { versionsTable } from './history-table.js';

/**
 * Locks the history of a collection until the transaction ends. Transactions that put back versions take the same lock,
 * so none of them puts back a record that it has read before its erasure.
 */
export function lockHistory(
  transaction: RecordTransaction,
  { id }: Pick<CollectionShape, 'id'>,
): Promise<void> {
  return transaction.lock(sql`SELECT pg_advisory_xact_lock(${lockKey('history', param(id, 'text'))})`);
}

/**
 * Deletes a record even if it has expired, if its entity tag satisfies the condition, and gives its capacity back. One row: the count
 * of version checks that held, records deleted, and how many of them had not expired.
 */
export function eraseStatement(
  shape: CollectionShape,
  recordId: string,
  tag: TagCondition | undefined,
  eventId: string,
): Statement {
  const current = currentVersion(shape, { eventId });
  const tagged = tag === undefined ? NOTHING : sql` AND ${ALIVE} AND ${tagSatisfies(shape, tag)}`;
  const id = param(recordId, 'uuid');
  // Two steps, because Citus allows only immutable functions of columns in a DELETE.
  const matched = new Cte(
    'matched',
    sql`SELECT t._id FROM ${current}, ${tableOf(shape)} t WHERE t._id = ${id}${tagged} FOR UPDATE OF t`,
  );
  const written = new Cte(
    'written',
    sql`
      DELETE FROM ${tableOf(shape)} t USING ${matched} m WHERE t._id = m._id RETURNING t._id, t.expires_at`,
  );
  const count = (rows: Sql) => sql`(SELECT count(*) FROM ${rows})::int`;
  return {
    ctes: [current, matched, written, returnedCte(shape, written)],
    query: sql`SELECT ${count(sql`${current}`)}, ${count(sql`${written}`)}, ${count(sql`${written} t WHERE ${ALIVE}`)}`,
  };
}

/** Removes all versions of a record, if the collection keeps any. Resolves to their number, without those that the erasure itself has made. */
export async function eraseVersions(
  transaction: Queryable,
  shape: CollectionShape,
  recordId: string,
  eventId: string,
): Promise<{ known: number; erased: number }> {
  if (!shape.historySince) return { known: 0, erased: 0 };
  const [counts] = await execute(
    transaction,
    sql`
    WITH removed AS (
      DELETE FROM ${versionsTable(shape)} WHERE record_id = ${param(recordId, 'uuid')}
      RETURNING schema IS NOT NULL AS has_content, event_id)
    SELECT count(*)::int AS known,
      count(*) FILTER (WHERE has_content AND event_id IS DISTINCT FROM ${param(eventId, 'uuid')})::int AS erased
    FROM removed`,
  );
  return counts;
}
