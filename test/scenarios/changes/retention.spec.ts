import { DataSource, type MigrationInterface } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RecordStore } from '../../../src/engine/storage/record-store.js';
import { TABLE_LOCKS } from '../../../src/engine/storage/table-lock.js';
import { ChangePruning } from '../../../src/features/changes/change-feeds.service.js';
import { MIGRATIONS } from '../../../src/platform/database/migrations.js';
import { Transactions } from '../../../src/platform/database/transactions.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import {
  type Home,
  insert,
  newCollection,
  newHome,
  outcome,
  type TestCollection,
  triggersOf,
} from '../../harness/collection.js';
import { MovedClock } from '../auth/person.js';
import { ask, follow, now, pulled, typesAndValues, until } from './feed.js';

const clock = new MovedClock();
let app: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startOwnApp({ database: 'own', clock });
  home = await newHome(app);
});
afterAll(() => app.close());

const prune = () => app.nest.get(ChangePruning).removeOld(new AbortController().signal);
const schemaOf = ({ table }: TestCollection) => table.split('.')[0];

/** Moves the changes of a collection up to a record past their retention time. */
function age(collection: TestCollection, n: number) {
  return app.sql(
    `UPDATE ${schemaOf(collection)}.record_changes SET changed_at = now() - interval '73 hours'
     WHERE collection_id = $1 AND (record::jsonb->>'n')::int <= $2`,
    [collection.id, n],
  );
}

describe('changes past their retention time', () => {
  it('are removed; a client that has read them continues, a client that has not is told to start again', async () => {
    const collection = await newCollection(app, home);
    const start = await now(app, collection);
    await insert(app, collection, { n: 1 }, { n: 2 }, { n: 3 });
    const [, second, third] = await pulled(app, collection, start);
    await age(collection, 2);
    expect(await prune()).toMatchObject({ changes: 2, feeds: 0 });
    const expired = await ask(app, collection, { since: start });
    expect(outcome(expired)).toEqual([410, 'PositionExpired']);
    expect((await follow(app, collection, { since: start })).status).toBe(410);
    expect(await pulled(app, collection, second!.id)).toEqual([third]);
    expect(typesAndValues(await pulled(app, collection, ''), 'n')).toEqual([['inserted', 3]]);
    await insert(app, collection, { n: 4 });
    expect(typesAndValues(await pulled(app, collection, third!.id), 'n')).toEqual([['inserted', 4]]);
  });

  it('do not void the positions of a collection without recent changes', async () => {
    const collection = await newCollection(app, home);
    await now(app, collection);
    await insert(app, collection, { n: 1 });
    const since = await now(app, collection);
    await age(collection, 1);
    await prune();
    expect((await ask(app, collection, { since })).body.changes).toEqual([]);
    await insert(app, collection, { n: 2 });
    expect(typesAndValues(await pulled(app, collection, since), 'n')).toEqual([['inserted', 2]]);
  });

  it('are removed with their collection', async () => {
    const collection = await newCollection(app, home);
    await now(app, collection);
    await insert(app, collection, { n: 1 });
    await app.request('DELETE', collection.path, home.owner);
    await prune();
    const left = app.sql(`SELECT FROM ${schemaOf(collection)}.record_changes WHERE collection_id = $1`, [
      collection.id,
    ]);
    expect(await left).toEqual([]);
  });
});

describe('a feed that no client has requested for a month', () => {
  const forget = (collection: TestCollection) =>
    app.sql(
      `UPDATE ${schemaOf(collection)}.record_feeds SET asked_at = now() - interval '31 days' WHERE collection_id = $1`,
      [collection.id],
    );
  it('ends; the next request starts another feed, in which positions of the first are refused', async () => {
    const collection = await newCollection(app, home);
    const old = await now(app, collection);
    await insert(app, collection, { n: 1 });
    await forget(collection);
    expect(await prune()).toMatchObject({ changes: 1, feeds: 1 });
    expect(await triggersOf(app, collection, 'follow')).toEqual([]);
    await insert(app, collection, { n: 2 });
    const since = await now(app, collection);
    expect(outcome(await ask(app, collection, { since: old }))).toEqual([410, 'PositionExpired']);
    await insert(app, collection, { n: 3 });
    expect(typesAndValues(await pulled(app, collection, since), 'n')).toEqual([['inserted', 3]]);
    expect(typesAndValues(await pulled(app, collection, ''), 'n')).toEqual([['inserted', 3]]);
  });

  it('continues if it is requested earlier, or has a webhook', async () => {
    const [asked, hooked] = [await newCollection(app, home), await newCollection(app, home)];
    await now(app, asked);
    const body = { url: 'https://hooks.example.com/x' };
    const made = await app.request('POST', `${hooked.path}/webhooks`, { ...home.owner, body });
    await app.request('PATCH', `${hooked.path}/webhooks/${made.body.id}`, {
      ...home.owner,
      body: { active: false },
    });
    await forget(asked);
    await forget(hooked);
    await now(app, asked);
    expect(await prune()).toMatchObject({ feeds: 0 });
    for (const collection of [asked, hooked])
      expect(await triggersOf(app, collection, 'follow')).toHaveLength(3);
  });

  it('continues while a stream follows it, also without changes', async () => {
    const collection = await newCollection(app, home);
    const stream = await follow(app, collection);
    await insert(app, collection, { n: 1 });
    await until(() => stream.changes().length === 1, 'the first change');
    await forget(collection);
    clock.move(3_601);
    const isUsed = async () => {
      const [row] = await app.sql(
        `SELECT asked_at > now() - interval '1 day' AS used FROM ${schemaOf(collection)}.record_feeds WHERE collection_id = $1`,
        [collection.id],
      );
      return row.used;
    };
    await until(isUsed, 'the feed to be used');
    expect(await prune()).toMatchObject({ feeds: 0 });
    await insert(app, collection, { n: 2 });
    await until(() => stream.changes().length === 2, 'the second change');
    stream.close();
  });

  it.each(['a request', 'a webhook'])('continues if %s comes just before it ends', async what => {
    const collection = await newCollection(app, home);
    await now(app, collection);
    await forget(collection);
    const transactions = app.nest.get(Transactions, { strict: false });
    const run = transactions.run.bind(transactions) as (...given: unknown[]) => Promise<unknown>;
    let came = false;
    const spy = vi.spyOn(transactions, 'run').mockImplementation((async (...given: unknown[]) => {
      if (given[0] === TABLE_LOCKS && !came) {
        came = true;
        await now(app, collection);
        if (what === 'a webhook') {
          const body = { url: 'https://hooks.example.com/x' };
          await app.request('POST', `${collection.path}/webhooks`, { ...home.owner, body });
          await forget(collection);
        }
      }
      return run(...given);
    }) as typeof transactions.run);
    const counts = await prune().finally(() => spy.mockRestore());
    expect([came, counts.feeds]).toEqual([true, 0]);
    expect(await triggersOf(app, collection, 'follow')).toHaveLength(3);
  });

  it('begins again when it ends during a request for it', async () => {
    const collection = await newCollection(app, home);
    await now(app, collection);
    await forget(collection);
    const store = app.nest.get(RecordStore, { strict: false });
    const read = store.readPrimary.bind(store);
    const spy = vi.spyOn(store, 'readPrimary').mockImplementationOnce(async (...given) => {
      const rows = await read(...given);
      expect(await prune()).toMatchObject({ feeds: 1 });
      return rows;
    });
    const since = await now(app, collection).finally(() => spy.mockRestore());
    await insert(app, collection, { n: 1 });
    expect(typesAndValues(await pulled(app, collection, since), 'n')).toEqual([['inserted', 1]]);
  });
});

it('messages of webhooks are removed after their retention time, whatever their status', async () => {
  const collection = await newCollection(app, home);
  const body = { url: 'https://hooks.example.com/x' };
  const { body: hook } = await app.request('POST', `${collection.path}/webhooks`, { ...home.owner, body });
  await app.request('PATCH', `${collection.path}/webhooks/${hook.id}`, {
    ...home.owner,
    body: { active: false },
  });
  for (const [status, days] of [
    ['dead', 15],
    ['pending', 15],
    ['delivered', 13],
  ] as const) {
    await app.sql(
      `INSERT INTO webhook_deliveries (id, webhook_id, status, changes, payload, created_at)
       VALUES (gen_random_uuid(), $1, $2, 0, '{}', now() - make_interval(days => $3))`,
      [hook.id, status, days],
    );
  }
  expect(await prune()).toMatchObject({ deliveries: 2 });
  const left = await app.sql('SELECT status FROM webhook_deliveries WHERE webhook_id = $1', [hook.id]);
  expect(left).toEqual([{ status: 'delivered' }]);
});

it('the migration adds feeds to existing organizations, can run twice, and can be reverted', async () => {
  const collection = await newCollection(app, home);
  const since = await now(app, collection);
  const migration = migrationCalled('CreateChangesAndWebhooks');
  const runner = app.nest.get(DataSource).createQueryRunner();
  try {
    const [later, atOnce] = [
      migrationCalled('NameRecordsOfMessages'),
      migrationCalled('CreateOrgSchemasAtOnce'),
    ];
    await atOnce.down(runner);
    await later.down(runner);
    await migration.down(runner);
    await insert(app, collection, { n: 1 });
    const without = await newHome(app);
    await migration.up(runner);
    await migration.up(runner);
    await later.up(runner);
    // The organization that was made meanwhile lacks what later migrations make. Records need their quota.
    await migrationCalled('CountRecordsByQuota').up(runner);
    await atOnce.up(runner);
    // The columns that later migrations added to the tables of changes.
    await migrationCalled('StoreAuthors').up(runner);
    await migrationCalled('KeepReplacedValues').up(runner);
    const late = await newCollection(app, without);
    for (const each of [collection, late, await newCollection(app, await newHome(app))]) {
      const from = await now(app, each);
      await insert(app, each, { n: 2 });
      expect(typesAndValues(await pulled(app, each, from), 'n')).toEqual([['inserted', 2]]);
    }
    expect(outcome(await ask(app, collection, { since }))).toEqual([410, 'PositionExpired']);
  } finally {
    await runner.release();
  }
});

function migrationCalled(start: string): MigrationInterface {
  const Migration = MIGRATIONS.find(({ name }) => name.startsWith(start)) as new () => MigrationInterface;
  return new Migration();
}
