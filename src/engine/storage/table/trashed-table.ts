import { identifier, type Sql, sql } from '../../../base/sql/index.js';
import { collectionTable, orgSchema, trashedTable } from '../../../platform/database/org-schema.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import { endFeed } from '../changes/change-feed.js';
import { versionsTable } from '../history/history-table.js';
import { endHistory } from '../history/versions.js';
import { lockOutMaintenance } from '../table-lock.js';
import { type Table, tableNamed } from '../table-sql.js';
import { dropTriggerFunction } from '../trigger-function.js';
import { dropQuota } from './table.js';

/**
 * Moves the table of a collection to the trash in the caller's transaction; followers get no more changes. The table
 * gets another name, so that running work on the collection ends as if the table had been dropped. Its counters stay,
 * because instances still give back the room that they have leased.
 */
export async function moveTableToTrash(transaction: Queryable, table: Table): Promise<void> {
  await lockOutMaintenance(transaction, tableNamed(table));
  await execute(
    transaction,
    sql`ALTER TABLE IF EXISTS ${tableNamed(table)} RENAME TO ${identifier(trashedTable(table.id))}`,
  );
  await endFeed(transaction, table);
}

/** Gives the table its name back. Its feed begins again with the first request for it. */
export async function moveTableFromTrash(transaction: Queryable, table: Table): Promise<void> {
  await lockOutMaintenance(transaction, inTrash(table));
  await execute(
    transaction,
    sql`ALTER TABLE ${inTrash(table)} RENAME TO ${identifier(collectionTable(table.id))}`,
  );
}

/** Drops a table in the trash with all its records. */
export async function dropTrashedTable(transaction: Queryable, table: Table): Promise<void> {
  await lockOutMaintenance(transaction, versionsTable(table));
  await lockOutMaintenance(transaction, inTrash(table));
  await execute(transaction, sql`DROP TABLE IF EXISTS ${inTrash(table)}`);
  await dropTriggerFunction(transaction, table, 'move');
  await endHistory(transaction, table);
  await dropQuota(transaction, table);
}

function inTrash({ id, orgId }: Table): Sql {
  return identifier(orgSchema(orgId), trashedTable(id));
}
