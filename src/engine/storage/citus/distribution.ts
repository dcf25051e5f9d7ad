import type { DataSource } from 'typeorm';
import { sql } from '../../../base/sql/index.js';
import { citusMissing } from '../../../platform/database/citus/citus-check.service.js';
import { orgsByPlacement, placeOrg, unplaceOrg } from '../../../platform/database/citus/org-placement.js';
import { forgetCitus } from '../../../platform/database/citus/prepare.js';
import { collectionTable, orgSchema, orgTable, trashedTable } from '../../../platform/database/org-schema.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { endFeed, feedsTable } from '../changes/change-feed.js';
import { type CollectionShape, inDeclaredOrder } from '../collection-shape.js';
import { ownVersions, type VersionsTarget } from '../history/history-table.js';
import { forgetVersions, keepVersions } from '../history/versions.js';
import { OrgSchemaRemoval } from '../org-schema-removal.js';
import { type Table } from '../table-sql.js';
import { versionsOnShard } from './versions-on-shard.js';

/**
 * Moves the data of every organization to a node. Moves one organization per transaction, so that a command that is stopped keeps what it has moved.
 * Stop all instances first.
 */
export async function distribute(source: DataSource, print: (line: string) => void): Promise<void> {
  const missing = await citusMissing(source);
  if (missing !== undefined) throw new Error(missing);
  const transactions = Transactions.on(source);
  await removeDeleted(source, transactions);
  const { unplaced, touched } = await orgsByPlacement(source);
  for (const orgId of unplaced) {
    await transactions.run(async transaction => {
      await endFeeds(transaction, orgId);
      await refuseOtherTriggers(transaction, orgId);
      const histories = await dropTriggers(transaction, orgId);
      if (touched.includes(orgId)) await unplaceOrg(transaction, orgId);
      await placeOrg(transaction, orgId);
      await createTriggers(transaction, histories, table => versionsOnShard(transaction, table));
    });
    print(`distributed ${orgId}`);
  }
  print('Every organization is on a node: start the service with DATABASE_CITUS=on.');
}

/** Moves the data of every organization back to the coordinator. */
export async function undistribute(source: DataSource, print: (line: string) => void): Promise<void> {
  const transactions = Transactions.on(source);
  await removeDeleted(source, transactions);
  const { touched } = await orgsByPlacement(source);
  for (const orgId of touched) {
    await transactions.run(async transaction => {
      const histories = await dropTriggers(transaction, orgId);
      await unplaceOrg(transaction, orgId);
      await createTriggers(transaction, histories, async table => ownVersions(table));
    });
    print(`moved back ${orgId}`);
  }
  await transactions.run(forgetCitus);
  print('No organization is on another node: start the service with DATABASE_CITUS=off.');
}

/** Drops what is left of deleted organizations: incomplete schemas, which cannot be moved. */
async function removeDeleted(source: DataSource, transactions: Transactions): Promise<void> {
  const removal = new OrgSchemaRemoval(source, transactions);
  for (const { id } of await removal.deleted()) {
    if (!(await removal.remove(id)))
      throw new Error(
        `Tables of the deleted organization ${id} are in use. Try again when nothing uses them.`,
      );
  }
}

/** A collection with a history. */
interface History {
  readonly shape: CollectionShape;
  readonly isInTrash: boolean;
}

/** Drops the triggers of all histories of an organization; the versions stay. */
async function dropTriggers(transaction: Queryable, orgId: string): Promise<readonly History[]> {
  const rows: (CollectionShape & { isInTrash: boolean })[] = await transaction.query(
    `SELECT id::text, org_id::text AS "orgId", version::float8, columns, leftovers, may_expire AS "mayExpire",
       deleted_at IS NOT NULL AS "isInTrash"
     FROM collections WHERE org_id = $1 AND history_since IS NOT NULL`,
    [orgId],
  );
  for (const row of rows) await forgetVersions(transaction, row);
  return rows.map(({ isInTrash, columns, ...shape }) => ({
    shape: { ...shape, columns: inDeclaredOrder(columns) },
    isInTrash,
  }));
}

async function createTriggers(
  transaction: Queryable,
  histories: readonly History[],
  target: (table: Table) => Promise<VersionsTarget>,
): Promise<void> {
  for (const { shape, isInTrash } of histories) {
    const { id, orgId } = shape;
    const table = isInTrash ? trashedTable(id) : collectionTable(id);
    await keepVersions(transaction, shape, await target(shape), orgTable(orgId, table));
  }
}

/** The trigger of an online change of a schema writes to a table of the platform, which the nodes do not have. */
async function refuseOtherTriggers(transaction: Queryable, orgId: string): Promise<void> {
  const [other] = await transaction.query(
    `SELECT c.relname AS "table" FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     WHERE c.relnamespace = $1::regnamespace AND NOT t.tgisinternal AND t.tgname NOT IN ('keep_updated', 'keep_deleted')`,
    [orgSchema(orgId)],
  );
  if (other !== undefined)
    throw new Error(
      `The schema of a collection of the organization ${orgId} is being changed (table ${other.table}). Start the service until the change has ended.`,
    );
}

/** Citus has no change feeds. Programs that read a feed get an error, but the owner of a webhook would not notice. */
async function endFeeds(transaction: Queryable, orgId: string): Promise<void> {
  const [{ count }] = await transaction.query(
    'SELECT count(*)::int AS count FROM webhooks WHERE org_id = $1',
    [orgId],
  );
  if (count > 0)
    throw new Error(
      `Organization ${orgId} has ${count} webhooks, which do not work on Citus. Delete them first.`,
    );
  const followed: { id: string }[] = await execute(
    transaction,
    sql`SELECT collection_id AS id FROM ${feedsTable(orgId)}`,
  );
  for (const { id } of followed) await endFeed(transaction, { id, orgId });
}
