import { literal, param, type Sql, sql } from '../../sql/index.js';
import { changesTable, feedsTable } from './change-feed.js';

/** Changes that one statement removes. */
export const PRUNED_AT_ONCE = 5_000;

/**
 * Collections of an organization that are followed or still have changes. Rows: `{id, followed, unused}`; `unused` is
 * true when no client has asked for `idleDays`. The ids are found by a loose index scan (PostgreSQL wiki, "Loose
 * indexscan").
 */
export function keptFeedsStatement(orgId: string, idleDays: number): Sql {
  const changes = changesTable(orgId);
  return sql`
    WITH RECURSIVE kept (id) AS (
      (SELECT collection_id FROM ${changes} ORDER BY collection_id LIMIT 1)
      UNION ALL
      SELECT (SELECT collection_id FROM ${changes} WHERE collection_id > kept.id ORDER BY collection_id LIMIT 1)
      FROM kept WHERE kept.id IS NOT NULL)
    SELECT coalesce(f.collection_id, k.id) AS id, f.collection_id IS NOT NULL AS followed,
      coalesce(f.asked_at < now() - make_interval(days => ${param(idleDays, 'integer')}), false) AS unused
    FROM (SELECT id FROM kept WHERE id IS NOT NULL) k FULL JOIN ${feedsTable(orgId)} f ON f.collection_id = k.id`;
}

/**
 * Removes the oldest changes of a collection if they are old enough, and stores the position of the last one removed.
 * One row: `{removed}`.
 */
export function pruneStatement(orgId: string, collectionId: string, hours: number): Sql {
  const changes = changesTable(orgId);
  const id = param(collectionId, 'uuid');
  return sql`
    WITH oldest AS (
      SELECT xid, seq, changed_at FROM ${changes} WHERE collection_id = ${id} ORDER BY xid, seq LIMIT ${literal(PRUNED_AT_ONCE)}),
    removed AS (
      DELETE FROM ${changes} c USING oldest o
      WHERE c.collection_id = ${id} AND c.xid = o.xid AND c.seq = o.seq
        AND o.changed_at < statement_timestamp() - make_interval(hours => ${param(hours, 'integer')})
      RETURNING c.xid, c.seq),
    kept AS (
      UPDATE ${feedsTable(orgId)} f SET kept_xid = r.xid, kept_seq = r.seq
      FROM (SELECT xid, seq FROM removed ORDER BY xid DESC, seq DESC LIMIT 1) r
      WHERE f.collection_id = ${id} AND (f.kept_xid, f.kept_seq) < (r.xid, r.seq))
    SELECT count(*)::int AS removed FROM removed`;
}

/** Records that clients have just asked for these feeds. */
export function askedStatement(orgId: string, collectionIds: readonly string[]): Sql {
  return sql`UPDATE ${feedsTable(orgId)} SET asked_at = now() WHERE collection_id = ANY(${param(collectionIds, 'uuid[]')})`;
}
