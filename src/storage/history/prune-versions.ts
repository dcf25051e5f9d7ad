import { literal, looseIndexScan, NOTHING, param, type Sql, sql } from '../../sql/index.js';
import { type CollectionShape, type Table, tableNamed } from '../collection-shape.js';
import { versionCheck } from '../statement.js';
import { versionsTable } from './versions.js';

/** Versions that one statement removes. */
export const PRUNED_AT_ONCE = 5_000;

/** Ids of the collections that have versions. */
export function versionedCollections(orgId: string): Sql {
  return sql`
    WITH RECURSIVE kept AS (${looseIndexScan(sql`kept`, versionsTable(orgId), sql`collection_id`)})
    SELECT value AS id FROM kept`;
}

/**
 * Removes the oldest versions of a collection that ended before an instant. When all versions of a record are removed,
 * its last row stays without content: it has the newest version number, and the event that made the present version. Its
 * times are `infinity`, so that no read finds it. One row: `{examined, removed}`.
 */
export function pruneStatement(shape: Table, endedBefore: Date): Sql {
  const versions = versionsTable(shape.orgId);
  const id = param(shape.id, 'uuid');
  return sql`
    WITH old AS MATERIALIZED (
      SELECT record_id, version FROM ${versions}
      WHERE collection_id = ${id} AND valid_to < ${param(endedBefore, 'timestamptz')}
      ORDER BY valid_to LIMIT ${literal(PRUNED_AT_ONCE)}),
    newest AS (SELECT record_id, max(version) AS version FROM old GROUP BY record_id),
    emptied AS (
      UPDATE ${versions} v SET record = '', valid_from = 'infinity', valid_to = 'infinity' FROM newest n
      WHERE v.collection_id = ${id} AND v.record_id = n.record_id AND v.version = n.version
        AND EXISTS (SELECT FROM ${tableNamed(shape)} t WHERE t._id = n.record_id)
        AND NOT EXISTS (
          SELECT FROM ${versions} w WHERE w.collection_id = ${id} AND w.record_id = n.record_id AND w.version > n.version)
      RETURNING v.record_id, v.version),
    removed AS (
      DELETE FROM ${versions} v USING newest n
      WHERE v.collection_id = ${id} AND v.record_id = n.record_id AND v.version <= n.version
        AND (v.record_id, v.version) NOT IN (SELECT record_id, version FROM emptied)
        AND ((v.record_id, v.version) IN (SELECT record_id, version FROM old) OR v.valid_to = 'infinity')
      RETURNING 1)
    SELECT (SELECT count(*) FROM old)::int AS examined, count(*)::int AS removed FROM removed`;
}

/**
 * Removes versions of a collection that is gone, or whose history is off in `shape`. Does nothing when the collection has
 * changed since: its history may be on again, with new versions. One row: `{examined, removed}`.
 */
export function removeVersionsStatement(
  { id, orgId }: Pick<Table, 'id' | 'orgId'>,
  shape: CollectionShape | null,
): Sql {
  const versions = versionsTable(orgId);
  const unchanged = shape === null ? NOTHING : sql` AND EXISTS (${versionCheck(shape)})`;
  return sql`
    WITH removed AS (
      DELETE FROM ${versions} v WHERE v.ctid = ANY(ARRAY(
        SELECT ctid FROM ${versions} WHERE collection_id = ${param(id, 'uuid')}${unchanged} LIMIT ${literal(PRUNED_AT_ONCE)}))
      RETURNING 1)
    SELECT count(*)::int AS examined, count(*)::int AS removed FROM removed`;
}
