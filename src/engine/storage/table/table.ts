import { identifier, joined, NOTHING, param, sql } from '../../../base/sql/index.js';
import { orgTable } from '../../../platform/database/org-schema.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import { COLUMN_TYPES } from '../../columns/index.js';
import { endFeed } from '../changes/change-feed.js';
import { type CollectionShape } from '../collection-shape.js';
import { versionsTable } from '../history/history-table.js';
import { beginHistory, endHistory } from '../history/versions.js';
import type { TableAccess } from '../table-access.js';
import { lockOutMaintenance } from '../table-lock.js';
import { columnsOf, type Table, tableOf } from '../table-sql.js';
import { dropTriggerFunction } from '../trigger-function.js';

/**
 * Creates a collection's table in the caller's transaction, without its own indexes. It has typed columns for the declared
 * schema and `x` for the flexible fields. System columns come first, because every record has them. `version` is the number
 * of the present version in the history of the record; statements that update records set it (`writeMarks`).
 */
export async function createTable(
  tables: TableAccess,
  transaction: Queryable,
  shape: CollectionShape,
): Promise<void> {
  const columns = columnsOf(shape).map(
    ({ column, definition: { type, nullable } }) =>
      sql`, ${column} ${COLUMN_TYPES[type].sqlType}${nullable ? NOTHING : sql` NOT NULL`}`,
  );
  const table = sql`
    CREATE TABLE ${tableOf(shape)} (
      _id uuid PRIMARY KEY,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      expires_at timestamptz,
      created_by uuid,
      updated_by uuid,
      version integer NOT NULL DEFAULT 1,
      x jsonb NOT NULL DEFAULT '{}'${joined(columns, '')}
    )`;
  await execute(transaction, table);
  const quotas = orgTable(shape.orgId, 'record_quotas');
  await execute(transaction, sql`INSERT INTO ${quotas} (collection_id) VALUES (${param(shape.id, 'uuid')})`);
  const expiry = identifier(`e_${shape.id.replaceAll('-', '')}`);
  await execute(
    transaction,
    sql`CREATE INDEX ${expiry} ON ${tableOf(shape)} (expires_at) WHERE expires_at IS NOT NULL`,
  );
  if (shape.historySince) await beginHistory(tables, transaction, shape);
}

/**
 * Drops the table with all its records in the caller's transaction; followers get no more changes. The table is dropped
 * before the quota, because inserts also lock the table first.
 */
export async function dropTable(transaction: Queryable, shape: CollectionShape): Promise<void> {
  await lockOutMaintenance(transaction, versionsTable(shape));
  await lockOutMaintenance(transaction, tableOf(shape));
  await execute(transaction, sql`DROP TABLE IF EXISTS ${tableOf(shape)}`);
  await dropTriggerFunction(transaction, shape, 'move');
  await endHistory(transaction, shape);
  await dropQuota(transaction, shape);
  await endFeed(transaction, shape);
}

/** Deletes the counters of the records of a collection. */
export async function dropQuota(transaction: Queryable, shape: Table): Promise<void> {
  for (const each of ['record_quotas', 'quota_leases', 'quota_returns']) {
    const table = orgTable(shape.orgId, each);
    await execute(transaction, sql`DELETE FROM ${table} WHERE collection_id = ${param(shape.id, 'uuid')}`);
  }
}
