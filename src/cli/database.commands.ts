import { DataSource } from 'typeorm';
import { citusMissing } from '../database/citus/citus-check.service.js';
import { orgsByPlacement, placeOrg, unplaceOrg } from '../database/citus/org-placement.js';
import { forgetCitus } from '../database/citus/prepare.js';
import { migrate, migrateDown } from '../database/migrate.js';
import { execute, type Queryable } from '../database/queryable.js';
import { Transactions } from '../database/transactions.js';
import { sql } from '../sql/index.js';
import { endFeed, feedsTable } from '../storage/changes/change-feed.js';
import { type Command, expectNone, print, withDatabase } from './command.js';

export const migrateCommand: Command = {
  name: 'migrate',
  usage: '',
  summary: 'apply all pending migrations',
  async run(args) {
    expectNone(args);
    const applied = await withDatabase(settings => migrate(settings.DATABASE_URL, settings.DATABASE_CITUS));
    for (const name of applied) print(`applied ${name}`);
    if (applied.length === 0) print('no migration to apply');
  },
};

export const migrateDownCommand: Command = {
  name: 'migrate:down',
  usage: '',
  summary: 'take back the newest migration and the data that only its tables hold',
  async run(args) {
    expectNone(args);
    const reverted = await withDatabase(settings => migrateDown(settings.DATABASE_URL));
    print(reverted === undefined ? 'no migration to undo' : `undid ${reverted}`);
  },
};

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

/** Moves one organization per transaction, so that a command that is stopped keeps what it has moved. */
async function distribute(source: DataSource): Promise<void> {
  const missing = await citusMissing(source);
  if (missing !== undefined) throw new Error(missing);
  const { unplaced, touched } = await orgsByPlacement(source);
  for (const orgId of unplaced) {
    await Transactions.on(source).run(async transaction => {
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
    await Transactions.on(source).run(transaction => unplaceOrg(transaction, orgId));
    print(`moved back ${orgId}`);
  }
  await Transactions.on(source).run(forgetCitus);
  print('No organization is on another node: start the service with DATABASE_CITUS=off.');
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

async function withSource<T>(url: string, work: (source: DataSource) => Promise<T>): Promise<T> {
  const source = await new DataSource({ type: 'postgres', url, poolSize: 1 }).initialize();
  try {
    return await work(source);
  } finally {
    await source.destroy();
  }
}
