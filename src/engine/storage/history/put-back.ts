import { Cte, joined, literal, param, sql, withCtes } from '../../../base/sql/index.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import { type CollectionShape } from '../collection-shape.js';
import { NOW, writeMarks } from '../records/insert.js';
import { columnLists, columnsOf, flexibleOf, tableOf } from '../table-sql.js';
import { versionsTable } from './history-table.js';
import { PLAN } from './plan.js';
import { TARGETS } from './put-back-targets.js';

/** What a plan wrote. */
export interface PutBack {
  readonly updated: number;
  readonly inserted: number;
  readonly deleted: number;
  /** The ids of the first records. */
  readonly ids: readonly string[];
}

/** The audit event and the author of the writes that put back records. */
export interface PutBackWrite {
  readonly eventId: string;
  readonly author: string | null;
}

/**
 * Puts back the records of the plan that have no `reason`. Deletes come before updates, and updates before inserts, so
 * that a unique value that one record gives up is free for another. An inserted record keeps its id, `created_at` and `created_by`. A
 * record that has all values already is not written. A version that this ends stores the number of the version that was
 * put back.
 */
export async function putBack(
  transaction: Queryable,
  shape: CollectionShape,
  { eventId, author }: PutBackWrite,
  mostIds: number,
): Promise<PutBack> {
  const table = tableOf(shape);
  const { names, ofRow } = columnLists(shape);
  const by = param(author, 'uuid');
  const columns = columnsOf(shape).map(({ column }) => column);
  const ended = (cte: Cte) => sql`(SELECT count(*) FROM ${cte}) >= 0`;
  const deleted = new Cte(
    'deleted',
    sql`DELETE FROM ${table} t USING ${PLAN} p
      WHERE t._id = p.record_id AND p.present AND p.reason IS NULL
        AND NOT EXISTS (SELECT FROM ${TARGETS} r WHERE r.record_id = p.record_id)
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
    sql`UPDATE ${table} t SET ${writeMarks(shape, by)}, expires_at = ${expiry}, x = r.x${joined(
      columns.map(column => sql`, ${column} = r.${column}`),
      '',
    )}
      FROM ${TARGETS} r
      WHERE t._id = r.record_id AND r.present AND (${joined(differs, ' OR ')}) AND ${ended(deleted)}
      RETURNING t._id`,
  );
  const versions = versionsTable(shape);
  const inserted = new Cte(
    'inserted',
    sql`INSERT INTO ${table} (_id, created_at, updated_at, version, expires_at, created_by, updated_by, x${names})
      SELECT r.record_id, r.created_at, greatest(${NOW}, l.valid_from), r.last + 1, r.expires_at, r.created_by, ${by}, r.x${ofRow}
      FROM ${TARGETS} r
      JOIN ${versions} l ON l.record_id = r.record_id AND l.version = r.last
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
    WHERE p.reason IS NULL AND v.record_id = p.record_id
      AND v.version = CASE WHEN p.present THEN p.last + 1 ELSE p.last END AND (NOT p.present OR v.event_id = ${event})`,
  );
  return written;
}
