import { DataSource } from 'typeorm';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  EMMA,
  eventsOf,
  type Home,
  insert,
  newHome,
  newTypedCollection,
  outcome,
} from '../../harness/collection.js';
import { newMember } from '../orgs/org.js';

describe('DELETE /v1/collections/{collection_id}', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  it.each([
    ['', { deleted: true, restorable_until: expect.any(String) }],
    ['?permanent=true', { deleted: true }],
  ])(
    '%s yields to a reader that in turn waits for the collection, and completes afterwards',
    async (query, answer) => {
      const collection = await newTypedCollection(app, home);
      const reader = app.nest.get(DataSource).createQueryRunner();
      await reader.startTransaction();
      try {
        // Timers are late on a busy machine: the reader's may fire before that of the deletion, which has waited
        // longer.
        await reader.query(`SET LOCAL deadlock_timeout = '700ms'`);
        await reader.query(`LOCK TABLE ${collection.table} IN ACCESS SHARE MODE`);
        const deletion = app.request('DELETE', `${collection.path}${query}`, home.owner);
        const waits = `SELECT 1 FROM pg_locks WHERE relation = '${collection.table}'::regclass AND NOT granted`;
        await expect.poll(() => app.sql(waits)).toHaveLength(1);
        await reader.query('SELECT 1 FROM collections WHERE id = $1 FOR UPDATE', [collection.id]);
        await reader.commitTransaction();
        expect((await deletion).body).toEqual(answer);
      } finally {
        await reader.release();
      }
    },
  );

  it('deletes the collection with its records and leaves one event', async () => {
    const collection = await newTypedCollection(app, home, { uniques: [{ properties: ['title'] }] });
    const [id] = await insert(app, collection, EMMA);
    const { status, body } = await app.request('DELETE', collection.path, home.owner);
    expect([status, body]).toEqual([200, { deleted: true, restorable_until: expect.any(String) }]);
    expect(outcome(await app.request('GET', collection.path, home.owner))).toEqual([
      404,
      'CollectionNotFound',
    ]);
    const record = await app.request('GET', `${collection.data}/${id}`, home.owner);
    expect(outcome(record)).toEqual([404, 'CollectionNotFound']);
    const [{ gone }] = await app.sql('SELECT to_regclass($1) IS NULL AS gone', [collection.table]);
    expect(gone).toBe(true);
    const events = await eventsOf(app, collection);
    expect(events.map(event => event.type)).toEqual([
      'collections.created',
      'collections.records.inserted',
      'collections.deleted',
    ]);
    expect(events[2]).toMatchObject({
      actor: { id: home.org.owner.userId },
      changes: { before: { name: collection.name } },
    });
  });

  it('deletes the counter of its records with a permanent deletion', async () => {
    const collection = await newTypedCollection(app, home);
    await insert(app, collection, EMMA);
    await app.request('DELETE', `${collection.path}?permanent=true`, home.owner);
    const schema = collection.table.split('.')[0];
    for (const each of ['record_quotas', 'quota_leases', 'quota_returns'])
      expect(
        await app.sql(`SELECT FROM ${schema}.${each} WHERE collection_id = $1`, [collection.id]),
      ).toEqual([]);
  });

  it('returns 404 the second time, and lets one of several concurrent deletions succeed', async () => {
    const collection = await newTypedCollection(app, home);
    const answers = await Promise.all(
      [1, 2, 3].map(() => app.request('DELETE', collection.path, home.owner)),
    );
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 404, 404]);
    const again = await app.request('DELETE', collection.path, home.owner);
    expect(outcome(again)).toEqual([404, 'CollectionNotFound']);
    expect((await eventsOf(app, collection)).map(event => event.type)).toEqual([
      'collections.created',
      'collections.deleted',
    ]);
  });

  it('frees the name, and a new collection with it is empty', async () => {
    const collection = await newTypedCollection(app, home);
    await insert(app, collection, EMMA);
    await app.request('DELETE', collection.path, home.owner);
    const again = await newTypedCollection(app, home, { name: collection.name });
    expect(again.id).not.toBe(collection.id);
    expect((await app.request('GET', `${again.data}/count`, home.owner)).body).toEqual({ count: 0 });
  });

  it('is refused to admins of the organization who do not own the collection', async () => {
    const collection = await newTypedCollection(app, home);
    const admin = { token: (await newMember(app, home.org, 'admin')).token };
    expect(outcome(await app.request('DELETE', collection.path, admin))).toEqual([403, 'Forbidden']);
    expect((await app.request('GET', collection.path, admin)).status).toBe(200);
    expect(await eventsOf(app, collection)).toHaveLength(1);
  });
});
