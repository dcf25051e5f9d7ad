import { literal, param, sql } from '../../../base/sql/index.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import type { Filter } from '../../filter/index.js';
import { type CollectionShape } from '../collection-shape.js';
import { selected } from '../records/read.js';
import { tableOf } from '../table-sql.js';
import { versionsTable } from './history-table.js';
import { MAX_UNDONE } from './inserted-ids.js';
import { asOf } from './past.js';
import { PLAN } from './plan.js';

/** Which records to restore: those that a filter matches now or matched at the instant. */
export interface PastSelection {
  readonly at: Date;
  readonly filter: Filter | undefined;
}

/**
 * Adds to an empty plan the selected records that have been written since the instant, each with the number of its
 * version at the instant; 0 when it was inserted later. Resolves to the number of selected records and of planned ones, which
 * ends at one more than MAX_UNDONE.
 */
export async function planPast(
  transaction: Queryable,
  shape: CollectionShape,
  { at, filter }: PastSelection,
): Promise<{ matching: number; planned: number }> {
  const instant = param(at, 'timestamptz');
  const [counts] = await execute(
    transaction,
    sql`
    WITH matching AS MATERIALIZED (
      SELECT t._id ${selected(asOf(shape, at), filter)} UNION SELECT t._id ${selected(shape, filter)}),
    added AS (
      INSERT INTO ${PLAN} (record_id, version)
      SELECT m._id, coalesce(v.version, 0) FROM matching m
      LEFT JOIN LATERAL (
        SELECT v.version FROM ${versionsTable(shape)} v
        WHERE v.record_id = m._id AND v.valid_from <= ${instant}
        ORDER BY v.version DESC LIMIT 1) v ON true
      WHERE NOT EXISTS (SELECT FROM ${tableOf(shape)} t WHERE t._id = m._id AND t.updated_at <= ${instant})
      LIMIT ${literal(MAX_UNDONE + 1)} RETURNING 1)
    SELECT (SELECT count(*) FROM matching)::float8 AS matching, (SELECT count(*) FROM added)::int AS planned`,
  );
  return counts;
}
