import { Cte, literal, NOTHING, param, type Sql, sql, withCtes } from '../../../base/sql/index.js';
import type { Queryable } from '../../../platform/database/queryable.js';
import { ALIVE, type CollectionShape, columnOf } from '../collection-shape.js';
import { hasCapacity } from '../quota/quota.js';
import { currentWithCapacity, NOW } from '../records/insert.js';
import { sentFields } from '../records/upsert.js';
import type { TableAccess } from '../table-access.js';
import { columnLists, tableOf } from '../table-sql.js';
import { type StagedRange, stagedRows } from './copy-stage.js';

/** Maximum number of ids in `MERGED`. */
const MAX_IDS = 1_000;

/** How staged rows become records. */
export interface Merge {
  readonly author: string | null;
  /** When new records expire; null means never. */
  readonly expiresAt: Date | null;
  /** Upsert: a column with a unique constraint of its own. */
  readonly key: string | undefined;
  /** Append: rows that violate a unique constraint are skipped. If false, such a row fails the statement with 23505. */
  readonly leaveOut: boolean;
  /** True when the ids of all new records are needed, for an undo. */
  readonly keepsIds?: boolean;
  readonly range: StagedRange;
}

/** The result of one merge. */
export interface MergedRange {
  /** 0 when nothing was written because the collection has changed. */
  readonly current: number;
  readonly sent: number;
  readonly inserted: number;
}

/**
 * Locks, in the order of ids as every write does, the records whose key was staged. Without this, merges would lock in
 * the order of the file or of a join plan, and could deadlock with other writes.
 */
export async function lockKeys(
  tables: TableAccess,
  session: Queryable,
  shape: CollectionShape,
  key: string,
): Promise<void> {
  const column = columnOf(shape, key);
  const locked = sql`
    SELECT t._id FROM ${tableOf(shape)} t WHERE t.${column} IN (SELECT r.${column} FROM ${stagedRows(shape)}) AND ${ALIVE}
    ORDER BY t._id FOR NO KEY UPDATE OF t`;
  await tables.lockRows(session, locked);
}

/**
 * Writes the records of a range of staged rows, and adds their ids to `merged`. An append without `keepsIds` adds only
 * the first MAX_IDS: it merges no record twice, so the counts of the ranges can be added up. An upsert updates the
 * records whose key exists, only in the fields that were sent; a range contains each key once. Refuses the size of
 * a record that would be larger than 16 MiB. Rows: one MergedRange.
 */
export function mergeStatement(shape: CollectionShape, merge: Merge): Sql {
  const { batch, first, last } = merge.range;
  const { names, ofRow } = columnLists(shape);
  const author = param(merge.author, 'uuid');
  const key = merge.key === undefined ? undefined : columnOf(shape, merge.key);
  // The capacity for all ranges is taken at the end, so that other requests do not wait for the quota meanwhile.
  const current = currentWithCapacity(shape, { holds: hasCapacity(shape, literal(0), literal(0)) });
  const range = sql`s.batch = ${param(batch, 'integer')} AND r.n BETWEEN ${param(first, 'integer')} AND ${param(last, 'integer')}`;
  const input = new Cte('input', sql`SELECT r.* FROM ${current}, ${stagedRows(shape)} WHERE ${range}`, {
    materialized: true,
  });
  const updated = key && new Cte('updated', updateSql(shape, key, input, author));
  const unmatched =
    updated === undefined
      ? NOTHING
      : sql` WHERE NOT EXISTS (SELECT FROM ${updated} u WHERE u.key = r.${key as Sql})`;
  const inserted = new Cte(
    'inserted',
    sql`
      INSERT INTO ${tableOf(shape)} (_id, created_at, updated_at, expires_at, created_by, updated_by, x${names})
      SELECT r._id, ${NOW}, ${NOW}, ${param(merge.expiresAt, 'timestamptz')}, ${author}, ${author}, coalesce(r.x, '{}')${ofRow}
      FROM ${input} r${unmatched} ORDER BY r._id ${merge.leaveOut ? sql`ON CONFLICT DO NOTHING` : NOTHING}
      RETURNING _id`,
  );
  const others =
    updated === undefined
      ? merge.keepsIds
        ? NOTHING
        : sql` WHERE (SELECT count(*) FROM pg_temp.merged) < ${literal(MAX_IDS)}`
      : sql` UNION ALL SELECT _id, false FROM ${updated}`;
  const tracked = new Cte(
    'tracked',
    sql`INSERT INTO pg_temp.merged SELECT _id, true FROM ${inserted}${others} ON CONFLICT DO NOTHING`,
  );
  const ctes = [current, input, ...(updated === undefined ? [] : [updated]), inserted, tracked];
  return withCtes(
    ctes,
    sql`SELECT (SELECT count(*) FROM ${current})::int AS current, (SELECT count(*) FROM ${input})::int AS sent,
      (SELECT count(*) FROM ${inserted})::int AS inserted`,
  );
}

/** The result of all merges of an upsert together, and the ids of an append: one row. */
export const MERGED = sql`
  SELECT count(*)::int AS written, (count(*) FILTER (WHERE fresh))::int AS inserted,
    ARRAY(SELECT _id::text FROM pg_temp.merged ORDER BY _id LIMIT ${literal(MAX_IDS)}) AS ids
  FROM pg_temp.merged`;

/** The records that all merges together inserted. */
export const INSERTED = sql`pg_temp.merged WHERE fresh`;

function updateSql(shape: CollectionShape, key: Sql, input: Cte, author: Sql): Sql {
  return sql`UPDATE ${tableOf(shape)} t SET ${sentFields(shape, author)}
      FROM ${input} r WHERE t.${key} = r.${key} AND ${ALIVE} RETURNING t._id, r.${key} AS key`;
}
