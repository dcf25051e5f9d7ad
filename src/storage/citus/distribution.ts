import type { DataSource } from 'typeorm';
import { citusMissing } from '../../database/citus/citus-check.service.js';
import { orgsByPlacement, placeOrg, unplaceOrg } from '../../database/citus/org-placement.js';
import { forgetCitus } from '../../database/citus/prepare.js';
import { execute, type Queryable } from '../../database/queryable.js';
import { Transactions } from '../../database/transactions.js';
import { sql } from '../../sql/index.js';
import { endFeed, feedsTable } from '../changes/change-feed.js';
import { insertedIdsTable } from '../history/inserted-ids.js';
import { forgetVersions, versionsTable } from '../history/versions.js';

/**
 * Moves the data of every organization to a node. Moves one organization per transaction, so that a command that is stopped keeps what it has moved.
 * Stop all instances first.
 */
export async function distribute(source: DataSource, print: (line: string) => void): Promise<void> {
  const missing = await citusMissing(source);
  if (missing !== undefined) throw new Error(missing);
  const { unplaced, touched } = await orgsByPlacement(source);
  const transactions = Transactions.on(source);
  for (const orgId of unplaced) {
    await transactions.run(async transaction => {
      await endFeeds(transaction, orgId);
      await endHistories(transaction, orgId);
      if (touched.includes(orgId)) await unplaceOrg(transaction, orgId);
      await placeOrg(transaction, orgId);
    });
    print(`distributed ${orgId}`);
  }
  print('Every organization is on a node: start the service with DATABASE_CITUS=on.');
}

/** Moves the data of every organization back to the coordinator. */
export async function undistribute(source: DataSource, print: (line: string) => void): Promise<void> {
  const { touched } = await orgsByPlacement(source);
  const transactions = Transactions.on(source);
  for (const orgId of touched) {
    await transactions.run(transaction => unplaceOrg(transaction, orgId));
    print(`moved back ${orgId}`);
  }
  await transactions.run(forgetCitus);
  print('No organization is on another node: start the service with DATABASE_CITUS=off.');
}

/**
 * Collections on Citus keep no history. Citus refuses tables with triggers, so those that keep versions are dropped, and
 * what they have stored is removed.
 */
async function endHistories(transaction: Queryable, orgId: string): Promise<void> {
  const collections: { id: string }[] = await transaction.query(
    'SELECT id::text FROM collections WHERE org_id = $1',
    [orgId],
  );
  for (const { id } of collections) await forgetVersions(transaction, { id, orgId });
  await transaction.query(
    `UPDATE collections SET history_since = NULL, settings = settings || '{"history_days": 0}', version = version + 1
     WHERE org_id = $1 AND settings ->> 'history_days' <> '0'`,
    [orgId],
  );
  await execute(transaction, sql`TRUNCATE ${versionsTable(orgId)}, ${insertedIdsTable(orgId)}`);
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
