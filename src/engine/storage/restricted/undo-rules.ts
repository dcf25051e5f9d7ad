import { joined, param, type Sql, sql } from '../../../base/sql/index.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import { anyTrue } from '../../filter/index.js';
import { includes } from '../../rules/field-names.js';
import type { FieldNames, Grant } from '../../rules/grant.js';
import type { CollectionShape, Restricted } from '../collection-shape.js';
import { PLAN } from '../history/plan.js';
import { STORED_TARGETS } from '../history/put-back-targets.js';
import { columnsOf, tableOf } from '../table-sql.js';
import { ruleHolds } from './seen.js';

/**
 * Marks the records of a plan that its caller may not put back: each is the update, delete or insert that it is. A
 * record that the caller does not see names no event.
 */
export async function markForbidden(
  transaction: Queryable,
  restricted: Restricted,
  author: string | null,
): Promise<void> {
  const { whole, reading, writing = [] } = restricted;
  const grants = (isCounted: (grant: Grant) => Sql) =>
    anyTrue(writing.map(each => sql`(${isCounted(each)})`));
  const isSeen =
    reading === undefined
      ? sql`t._id IS NOT NULL`
      : sql`t._id IS NOT NULL AND ${anyTrue(reading.map(({ read }) => ruleHolds(read, whole)))}`;
  const ofTarget = (condition: Sql) => sql`(SELECT ${condition} FROM (${targetRow(whole, author)}) t)`;
  const inserts = grants(
    grant =>
      sql`${ofTarget(ruleHolds(grant.create, whole))} AND ${writesOnly(whole, grant.writes, undefined)}`,
  );
  const deletes = grants(grant => ruleHolds(grant.delete, whole));
  const updates = grants(
    grant =>
      sql`${ruleHolds(grant.update, whole)} AND ${ofTarget(ruleHolds(grant.becomes, whole))} AND ${writesOnly(whole, grant.writes, sql`t`)}`,
  );
  const seesChanges = sql`${joined(
    (reading ?? []).map(
      grant => sql`(${ruleHolds(grant.read, whole)} AND ${writesOnly(whole, grant.shows, sql`t`)})`,
    ),
    ' OR ',
  )}`;
  const mayUpdate = reading === undefined ? updates : sql`${updates} AND (${seesChanges})`;
  await execute(
    transaction,
    sql`UPDATE ${PLAN} p SET reason = 'forbidden', event_id = NULL FROM (
      SELECT q.record_id FROM ${PLAN} q
      LEFT JOIN ${tableOf(whole)} t ON t._id = q.record_id AND q.present
      LEFT JOIN ${STORED_TARGETS} r ON r.record_id = q.record_id
      WHERE NOT coalesce(CASE WHEN q.reason IS NOT NULL THEN ${isSeen}
        WHEN NOT q.present THEN ${inserts}
        WHEN r.record_id IS NULL THEN ${isSeen} AND ${deletes}
        ELSE ${isSeen} AND ${mayUpdate} END, false)) f
    WHERE p.record_id = f.record_id`,
  );
}

/** SQL of the record that the target `r` makes, with the columns of the table. */
function targetRow(shape: CollectionShape, author: string | null): Sql {
  const columns = joined(
    columnsOf(shape).map(({ column }) => sql`, r.${column}`),
    '',
  );
  return sql`SELECT r.record_id AS _id, r.created_at, statement_timestamp() AS updated_at, r.expires_at,
    r.created_by, ${param(author, 'uuid')} AS updated_by, r.x${columns}`;
}

/**
 * SQL that is true if the target `r` differs from the record `before` only in fields of the list; undefined: from a record
 * without fields.
 */
function writesOnly(shape: CollectionShape, list: FieldNames | undefined, before: Sql | undefined): Sql {
  if (list === undefined) return sql`true`;
  const others = columnsOf(shape)
    .filter(({ name }) => !includes(list, name))
    .map(
      ({ column }) =>
        sql` AND r.${column} IS NOT DISTINCT FROM ${before === undefined ? sql`NULL` : sql`${before}.${column}`}`,
    );
  const of = (x: Sql) => flexibleOutside(x, list);
  const was = before === undefined ? sql`'{}'::jsonb` : of(sql`${before}.x`);
  return sql`(${of(sql`r.x`)} = ${was}${joined(others, '')})`;
}

/** SQL of the flexible fields that are not in the list. */
function flexibleOutside(x: Sql, list: FieldNames): Sql {
  if ('only' in list) return sql`(${x} - ${param([...list.only], 'text[]')})`;
  const names = param([...list.without], 'text[]');
  return sql`(SELECT coalesce(jsonb_object_agg(e.key, e.value), '{}') FROM jsonb_each(${x}) e WHERE e.key = ANY(${names}))`;
}
