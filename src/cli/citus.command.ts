import { DataSource } from 'typeorm';
import { citusMissing } from '../database/citus/citus-check.service.js';
import { orgsByPlacement, placeOrg, unplaceOrg } from '../database/citus/org-placement.js';
import { forgetCitus } from '../database/citus/prepare.js';
import { migrate } from '../database/migrate.js';
import type { Queryable } from '../database/queryable.js';
import { endFeed, feedsTable } from '../storage/change-feed.js';
import { type Command, expectNone, print } from './command.js';
import { withDatabase } from './database.js';

export const citusDistributeCommand: Command = {
  name: 'citus:distribute',
  usage: '',
  summary: 'move the data of every organization to a node of Citus; stop all instances first',
  async run(args) {
    expectNone(args);
    await withDatabase(async ({ DATABASE_URL: url }) => {
      await migrate(url, 'on');
      await withSource(url, distribute);
    });
  },
};

export const citusUndistributeCommand: Command = {
  name: 'citus:undistribute',
  usage: '',
  summary: 'move the data of every organization back from the nodes of Citus; stop all instances first',
  async run(args) {
    expectNone(args);
    await withDatabase(({ DATABASE_URL: url }) => withSource(url, undistribute));
  },
};

/** One organization after the other, so that what is done is done when the command is stopped. */
async function distribute(source: DataSource): Promise<void> {
  const missing = await citusMissing(source);
  if (missing !== undefined) throw new Error(missing);
  const { unplaced, touched } = await orgsByPlacement(source);
  for (const orgId of unplaced) {
    await source.transaction(async transaction => {
      await endFeeds(transaction, orgId);
      if (touched.includes(orgId)) await unplaceOrg(transaction, orgId);
      await placeOrg(transaction, orgId);
    });
    print(`distributed ${orgId}`);
  }
  print('Every organization is on a node: start the service with DATABASE_CITUS=on.');
}

async function undistribute(source: DataSource): Promise<void> {
  const { touched } = await orgsByPlacement(source);
  for (const orgId of touched) {
    await source.transaction(transaction => unplaceOrg(transaction, orgId));
    print(`took back ${orgId}`);
  }
  await source.transaction(forgetCitus);
  print('No organization is on another node: start the service with DATABASE_CITUS=off.');
}

/** Changes cannot be followed on Citus: programs that follow some are told so, but nobody would tell who owns a webhook. */
async function endFeeds(transaction: Queryable, orgId: string): Promise<void> {
  const [{ count }] = await transaction.query(
    'SELECT count(*)::int AS count FROM webhooks WHERE org_id = $1',
    [orgId],
  );
  if (count > 0)
    throw new Error(
      `Organization ${orgId} has ${count} webhooks, which Citus cannot have: delete them first.`,
    );
  const followed: { id: string }[] = await transaction.query(
    `SELECT collection_id AS id FROM ${feedsTable(orgId)}`,
  );
  for (const { id } of followed) await endFeed(transaction, { id, orgId });
}

async function withSource<T>(url: string, work: (source: DataSource) => Promise<T>): Promise<T> {
  const source = await new DataSource({ type: 'postgres', url, poolSize: 1 }).initialize();
  try {
    return await work(source);
  } finally {
    await source.destroy();
  }
}
