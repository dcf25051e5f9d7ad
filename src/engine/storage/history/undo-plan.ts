import { literal, param, type Sql, sql } from '../../../base/sql/index.js';
import { orgTable } from '../../../platform/database/org-schema.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import type { CollectionShape } from '../collection-shape.js';
import { isKept, versionsTable } from './history-table.js';
import { insertedIdsTable, MAX_UNDONE } from './inserted-ids.js';
import { PLAN } from './plan.js';

/** Types of events whose records are new unless the event has replaced a version of them. */
const INSERTING = ['inserted', 'upserted', 'written'].map(act => `collections.records.${act}`);

/**
 * Adds the records that these events wrote to an empty plan, each with the number of its oldest version that one of them
 * ended; 0 when one of them inserted it. Resolves to their number, which ends at one more than MAX_UNDONE.
 */
export async function planWritesOf(
  transaction: Queryable,
  shape: CollectionShape,
  eventIds: readonly string[],
): Promise<number> {
  const { id, orgId } = shape;
  const events = param(eventIds, 'uuid[]');
  const [{ count }] = await execute(
    transaction,
    sql`WITH named AS MATERIALIZED (
      SELECT e.id, e.type, e.record_ids FROM ${orgTable(orgId, 'audit_events')} e WHERE e.id = ANY(${events})),
    added AS (
      INSERT INTO ${PLAN} (record_id, version)
      SELECT w.record_id, min(w.version) FROM (
        SELECT n.record_id, coalesce(min(n.version), 0) AS version FROM (
          SELECT v.record_id, v.event_id, v.version FROM ${versionsTable(shape)} v
          WHERE v.event_id = ANY(${events}) AND NOT v.own_event AND ${isKept(sql`v`)}
          UNION ALL
          SELECT v.record_id, v.event_id, v.version
          FROM (SELECT DISTINCT record_ids[1] AS id FROM named WHERE cardinality(record_ids) = 1) r
          CROSS JOIN LATERAL (
            SELECT v.record_id, v.event_id, v.version FROM ${versionsTable(shape)} v
            WHERE v.record_id = r.id AND v.event_id = ANY(${events}) AND v.own_event AND ${isKept(sql`v`)} OFFSET 0) v
          UNION ALL
          SELECT unnest(e.record_ids), e.id, NULL FROM named e WHERE e.type = ANY(${param(INSERTING, 'text[]')})) n
        GROUP BY n.record_id, n.event_id
        UNION ALL
        SELECT unnest(i.record_ids), 0 FROM ${insertedIdsTable(orgId)} i
        WHERE i.collection_id = ${param(id, 'uuid')} AND i.event_id = ANY(${events})) w
      GROUP BY w.record_id LIMIT ${literal(MAX_UNDONE + 1)} RETURNING 1)
    SELECT count(*)::int AS count FROM added`,
  );
  return count;
}

/**
 * Finds for each locked record of the plan the version to put back: the oldest one that these events ended, of those
 * whose writes are still in effect. Gives a reason to records that other writes have changed since. Removes records
 * without a write in effect from the plan.
 *
 * A write that put back version n cancelled the effect of all writes from version n on, unless it is undone itself. So
 * the writes in effect are found from the newest to the oldest, in segments. A segment ends at a write that put back a
 * version, and the next segment begins below that version.
 */
export async function chooseUndone(
  transaction: Queryable,
  shape: CollectionShape,
  eventIds: readonly string[],
): Promise<void> {
  const versions = versionsTable(shape);
  const isUndone = sql`coalesce(v.event_id = ANY(${param(eventIds, 'uuid[]')}), false)`;
  const reset = (oldest: Sql, top: Sql) => sql`LEFT JOIN LATERAL (
          SELECT v.version, v.put_back FROM ${versions} v
          WHERE v.record_id = s.record_id AND v.version BETWEEN ${oldest} AND ${top}
            AND v.put_back IS NOT NULL AND NOT ${isUndone}
          ORDER BY v.version DESC LIMIT 1) m ON true`;
  await execute(
    transaction,
    sql`UPDATE ${PLAN} p SET version = coalesce(c.undone, -1), event_id = c.event_id, reason = c.reason
    FROM (
      WITH RECURSIVE segments (record_id, oldest, top, low, below) AS (
        SELECT s.record_id, s.version, s.top, coalesce(m.version + 1, s.version), m.put_back - 1
        FROM (SELECT record_id, version, CASE WHEN present THEN last ELSE last - 1 END AS top FROM ${PLAN}) s
        ${reset(sql`s.version`, sql`s.top`)}
        UNION ALL
        SELECT s.record_id, s.oldest, s.below, coalesce(m.version + 1, s.oldest), m.put_back - 1
        FROM segments s ${reset(sql`s.oldest`, sql`s.below`)}
        WHERE s.below >= s.oldest),
      writes AS (
        SELECT s.record_id, CASE WHEN bool_or(s.low = 0) THEN 0 ELSE min(v.version) FILTER (WHERE ${isUndone}) END AS undone,
          max(v.version) FILTER (WHERE NOT ${isUndone} AND v.put_back IS NULL) AS other
        FROM segments s LEFT JOIN ${versions} v
          ON v.record_id = s.record_id AND v.version BETWEEN s.low AND s.top
        GROUP BY s.record_id)
      SELECT w.record_id, w.undone, o.event_id,
        CASE WHEN o.version IS NULL THEN NULL WHEN NOT q.present AND o.version = q.last - 1 THEN 'deleted_since' ELSE 'changed_since' END AS reason
      FROM writes w JOIN ${PLAN} q ON q.record_id = w.record_id
      LEFT JOIN ${versions} o
        ON o.record_id = w.record_id AND o.version = w.other AND w.other > w.undone) c
    WHERE p.record_id = c.record_id`,
  );
  await execute(transaction, sql`DELETE FROM ${PLAN} WHERE version < 0`);
}
