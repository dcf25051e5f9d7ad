import { joined, PLANNED_EACH_TIME, param, type Sql, sql } from '../../../base/sql/index.js';
import { type CollectionShape } from '../collection-shape.js';
import { seenBy } from '../restricted/seen.js';
import { columnsOf, flexibleOf, tableNamed } from '../table-sql.js';
import { versionsTable } from './history-table.js';
import { versionRow } from './version-content.js';

/**
 * The collection as it was at an instant, for every statement that only reads. Its records are those that were last
 * written before, and the versions that writes have replaced since. It has the present columns: an earlier
 * value that does not fit one counts as null in filters, and is shown unchanged.
 */
export function asOf<Shape extends CollectionShape>(shape: Shape, instant: Date): Shape {
  const { seen } = shape;
  // The rules of now hold for the records of then.
  if (seen !== undefined) return seenBy(asOf(seen.whole as Shape, instant), seen.grants);
  return { ...shape, pastRecords: pastRecords(shape, param(instant, 'timestamptz')) };
}

/** Planned each time, because a plan depends on the versions that were valid at the instant. */
function pastRecords(shape: CollectionShape, instant: Sql): Sql {
  const columns = columnsOf(shape);
  const names = joined(
    columns.map(({ column }) => sql`, t.${column}`),
    '',
  );
  return sql`(${PLANNED_EACH_TIME}
    SELECT t._id, t.created_at, t.updated_at, t.expires_at, t.created_by, t.updated_by, ${flexibleOf(shape)} AS x, NULL::jsonb AS was${names}
    FROM ${tableNamed(shape)} t WHERE t.updated_at <= ${instant}
    UNION ALL
    ${versionRow(shape)}
    FROM ${versionsTable(shape)} v WHERE v.valid_from <= ${instant} AND v.valid_to > ${instant})`;
}
