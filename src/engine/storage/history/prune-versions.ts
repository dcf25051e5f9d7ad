import { joined, literal, param, type Sql, sql } from '../../../base/sql/index.js';
import { type CollectionShape } from '../collection-shape.js';
import { type Table, tableNamed } from '../table-sql.js';
import { contentColumns, versionsTable } from './history-table.js';

/** Versions that one statement removes. */
export const PRUNED_AT_ONCE = 5_000;

/** SQL that is true when the collection has versions that ended before an instant. */
export function hasVersionsBefore(table: Table, endedBefore: Date): Sql {
  return sql`EXISTS (SELECT FROM ${versionsTable(table)} WHERE valid_to < ${param(endedBefore, 'timestamptz')})`;
}

/**
 * Removes the oldest versions of a collection that ended before an instant. When all versions of a record are removed,
 * its last row stays without content: it has the event that made the present version. Its times are `infinity`, so that no
 * read finds it. One row: `{examined, removed}`.
 */
export function pruneStatement(shape: CollectionShape, endedBefore: Date): Sql {
  const [versions, records] = [versionsTable(shape), tableNamed(shape)];
  const emptied = joined(contentColumns(shape).map(column => sql`${column} = NULL`));
  // PostgreSQL locks tables in the order in which a statement names them. Other work also locks the records first.
  // Rows are found by their places, and those of one record by a subquery: PostgreSQL would join all versions.
  return sql`
    WITH records AS (SELECT FROM ${records} WHERE false),
    old AS MATERIALIZED (
      SELECT ctid AS place, record_id, version FROM ${versions}
      WHERE valid_to < ${param(endedBefore, 'timestamptz')}
      ORDER BY valid_to LIMIT ${literal(PRUNED_AT_ONCE)}),
    newest AS MATERIALIZED (
      SELECT DISTINCT ON (record_id) place, record_id, version FROM old ORDER BY record_id, version DESC),
    emptied AS (
      UPDATE ${versions} v SET valid_from = 'infinity', valid_to = 'infinity', ${emptied}
      WHERE v.ctid = ANY(ARRAY(
        SELECT n.place FROM newest n
        WHERE (SELECT true FROM ${records} t WHERE t._id = n.record_id)
          AND n.version = (SELECT max(w.version) FROM ${versions} w WHERE w.record_id = n.record_id)))
      RETURNING v.record_id, v.version),
    removed AS (
      DELETE FROM ${versions} v WHERE v.ctid = ANY(ARRAY(
        SELECT o.place FROM old o WHERE (o.record_id, o.version) NOT IN (SELECT record_id, version FROM emptied)
        UNION ALL
        SELECT m.place FROM newest n CROSS JOIN LATERAL (
          SELECT w.ctid AS place FROM ${versions} w
          WHERE w.record_id = n.record_id AND w.version < n.version AND w.valid_to = 'infinity' OFFSET 0) m))
      RETURNING 1)
    SELECT (SELECT count(*) FROM old)::int AS examined, count(*)::int AS removed FROM removed`;
}
