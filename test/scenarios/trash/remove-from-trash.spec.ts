import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TrashRemoval } from '../../../src/features/collections/trash/trash-removal.service.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import {
  type Caller,
  EMMA,
  eventsOf,
  type Home,
  insert,
  newCollection,
  newHome,
  newTypedCollection,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { newKey } from '../orgs/org.js';
import { guest, newAgent } from '../sharing/sharing.js';
import { age, leftovers, listTrash, namesIn, restore, trash, trashedTable } from './trash.js';

const NOT_FOUND = [404, 'CollectionNotFound'];

let app: TestApp;
let other: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startOwnApp({ database: 'own' });
  other = await startOwnApp({ database: { url: app.settings.DATABASE_URL as string } });
  const { org } = await newHome(app);
  // All instances accept a key; a token of a session belongs to the address of one.
  home = { org, owner: { key: (await newKey(app, org)).apiKey } };
});
afterAll(async () => {
  await other.close();
  await app.close();
});

const remove = ({ nest }: TestApp = app, signal = new AbortController().signal) =>
  nest.get(TrashRemoval, { strict: false }).removeDue(signal);

async function trashed(days: number, place = home): Promise<TestCollection> {
  const collection = await newTypedCollection(app, place, { indexes: [{ properties: ['year'] }] });
  await insert(app, collection, EMMA);
  await trash(app, collection);
  await age(app, collection, days);
  return collection;
}

describe('the job that removes deleted collections', () => {
  it('removes those that were deleted TRASH_DAYS ago with everything, and no others', async () => {
    const own = await newHome(app);
    const old = await newTypedCollection(app, own);
    await insert(app, old, EMMA);
    await guest(app, own.org, old, 'reader');
    const view = { name: 'Mine', filter: {}, for: 'me' };
    await app.request('POST', `${old.path}/views`, { ...own.owner, body: view });
    const hook = { url: 'https://example.com/hook' };
    await app.request('POST', `${old.path}/webhooks`, { ...own.owner, body: hook });
    await trash(app, old);
    await age(app, old, 7);
    const [recent, kept] = [await trashed(6, own), await newCollection(app, own)];
    expect(await leftovers(app, old)).toEqual(
      expect.arrayContaining([trashedTable(old), 'collection_bindings', 'collection_views', 'webhooks']),
    );
    await remove();
    expect(await leftovers(app, old)).toEqual([]);
    expect(await app.sql('SELECT FROM collections WHERE id = $1', [old.id])).toEqual([]);
    expect((await eventsOf(app, old)).at(-1)).toMatchObject({
      type: 'collections.removed',
      actor: { via: 'job' },
      changes: { before: { name: old.name } },
    });
    expect(namesIn(await listTrash(app, own.owner))).toEqual([recent.name]);
    expect((await restore(app, recent)).status).toBe(200);
    expect((await app.request('GET', kept.path, own.owner)).status).toBe(200);
  });

  it('hides them from the moment at which they are due', async () => {
    const collection = await trashed(7);
    expect(namesIn(await listTrash(app, home.owner))).not.toContain(collection.name);
    expect(outcome(await restore(app, collection))).toEqual(NOT_FOUND);
    expect(outcome(await restore(app, collection, { as: collection.name }))).toEqual(NOT_FOUND);
    const purge = await app.request('DELETE', `${collection.path}?permanent=true`, home.owner);
    expect(outcome(purge)).toEqual(NOT_FOUND);
    await remove();
    expect(await leftovers(app, collection)).toEqual([]);
  });

  it('removes each once when two instances run it at the same time', async () => {
    const collections = await Promise.all([1, 2, 3, 4, 5].map(() => trashed(8)));
    const counts = await Promise.all([remove(), remove(other), remove()]);
    expect(counts.reduce((sum, { removed }) => sum + removed, 0)).toBe(collections.length);
    for (const collection of collections) {
      expect(await leftovers(app, collection)).toEqual([]);
      const removals = (await eventsOf(app, collection)).filter(({ type }) => type === 'collections.removed');
      expect(removals).toHaveLength(1);
    }
    expect(await remove()).toEqual({ removed: 0 });
  });

  it('leaves a table that a backup reads to the next run, and goes on with the others', async () => {
    const [read, free] = [await trashed(8), await trashed(8)];
    const reader = app.nest.get(DataSource).createQueryRunner();
    await reader.startTransaction();
    try {
      await reader.query(`LOCK TABLE ${trashedTable(read)} IN ACCESS SHARE MODE`);
      expect(await remove()).toEqual({ removed: 1 });
    } finally {
      await reader.rollbackTransaction();
      await reader.release();
    }
    expect(await leftovers(app, free)).toEqual([]);
    expect(await leftovers(app, read)).toContain(trashedTable(read));
    expect(await remove()).toEqual({ removed: 1 });
    expect(await leftovers(app, read)).toEqual([]);
  });

  it('stops when the service stops', async () => {
    const collection = await trashed(8);
    expect(await remove(app, AbortSignal.abort())).toEqual({ removed: 0 });
    expect(await leftovers(app, collection)).toContain(trashedTable(collection));
    await remove();
  });

  it('removes nothing that is restored or deleted again meanwhile', async () => {
    for (let round = 0; round < 5; round++) {
      const collection = await trashed(6);
      const [restored] = await Promise.all([
        restore(app, collection),
        age(app, collection, 1),
        remove(),
        remove(other),
      ]);
      if (restored.status === 200) {
        const { body } = await app.request('GET', `${collection.data}/count`, home.owner);
        expect(body).toEqual({ count: 1 });
      } else {
        expect(outcome(restored)).toEqual(NOT_FOUND);
        await remove();
        expect(await leftovers(app, collection)).toEqual([]);
      }
    }
  });
});

describe('a deleted collection whose owner is deleted', () => {
  it('goes with the agent that owned it, which no longer keeps the agent', async () => {
    const agent = await newAgent(app, home.org);
    const place: Home = { org: home.org, owner: { key: agent.key } };
    const [collection, used] = [await newCollection(app, place), await newCollection(app, place)];
    await insert(app, collection, { n: 1 });
    await trash(app, collection);
    expect(namesIn(await listTrash(app, home.owner))).toContain(collection.name);
    const path = `${home.org.path}/agents/${agent.id}`;
    expect(outcome(await app.request('DELETE', path, home.owner))).toEqual([409, 'Conflict']);
    await trash(app, used);
    expect((await app.request('DELETE', path, home.owner)).status).toBe(200);
    expect(namesIn(await listTrash(app, home.owner))).not.toContain(collection.name);
    expect(outcome(await restore(app, collection, { caller: home.owner }))).toEqual(NOT_FOUND);
    await remove();
    expect(await leftovers(app, collection)).toEqual([]);
  });

  it('is not restored while its agent is being deleted', async () => {
    const agent = await newAgent(app, home.org);
    const collection = await newCollection(app, { org: home.org, owner: { key: agent.key } });
    await trash(app, collection);
    const [restored, deleted] = await Promise.all([
      restore(app, collection, { caller: home.owner }),
      app.request('DELETE', `${home.org.path}/agents/${agent.id}`, home.owner),
    ]);
    expect([
      [200, 409],
      [404, 200],
    ]).toContainEqual([restored.status, deleted.status]);
  });

  it('goes with its organization', async () => {
    const doomed = await newHome(app);
    const collection = await trashed(0, doomed);
    expect((await app.request('DELETE', doomed.org.path, doomed.owner)).status).toBe(200);
    expect(await app.sql('SELECT FROM collections WHERE id = $1', [collection.id])).toEqual([]);
    const [{ gone }] = await app.sql('SELECT to_regclass($1) IS NULL AS gone', [trashedTable(collection)]);
    expect(gone).toBe(true);
    expect((await restore(app, collection)).status).toBeGreaterThanOrEqual(401);
  });

  it('stays for the owners of the organization when its owner has left', async () => {
    const member = await guest(app, home.org, await newCollection(app, home), 'reader');
    const caller: Caller = { token: member.token };
    const collection = await newCollection(app, { org: home.org, owner: caller });
    await trash(app, collection);
    await app.request('DELETE', `${home.org.path}/members/${member.userId}`, home.owner);
    expect(namesIn(await listTrash(app, home.owner))).toContain(collection.name);
    expect((await restore(app, collection, { caller: home.owner })).status).toBe(200);
  });
});

describe('an instance that knows a collection', () => {
  it('refuses it after another instance deleted it, and serves it after that one restored it', async () => {
    const collection = await newTypedCollection(app, home);
    const [id] = (await insert(app, collection, EMMA)) as [string];
    const path = `${collection.data}/${id}`;
    expect((await other.request('GET', path, home.owner)).status).toBe(200);
    await trash(app, collection);
    expect(outcome(await other.request('GET', path, home.owner))).toEqual(NOT_FOUND);
    await restore(app, collection);
    expect((await other.request('GET', path, home.owner)).status).toBe(200);
    expect((await other.request('PATCH', path, { ...home.owner, body: { year: 1816 } })).status).toBe(200);
  });

  it('writes nothing into a collection in the trash, however the writes overlap with its deletion', async () => {
    const collection = await newCollection(app, home);
    await insert(app, collection, { n: 0 });
    let isOver = false;
    let done = 1;
    const write = async (instance: TestApp) => {
      while (!isOver) {
        const body = { records: [{ n: 1 }, { n: 2 }] };
        const answer = await instance.request('POST', collection.data, { ...home.owner, body });
        expect([200, 404]).toContain(answer.status);
        if (answer.status === 200) done += 2;
      }
    };
    const writers = [app, other].flatMap(instance => [write(instance), write(instance)]);
    await trash(app, collection);
    const rows = async () =>
      (await app.sql(`SELECT count(*)::int AS rows FROM ${trashedTable(collection)}`))[0].rows;
    const before = await rows();
    await app.request('GET', collection.data, home.owner);
    expect(await rows()).toBe(before);
    isOver = true;
    await Promise.all(writers);
    expect(await rows()).toBe(before);
    expect(done).toBe(before);
    await restore(app, collection);
    expect((await app.request('GET', `${collection.data}/count`, home.owner)).body).toEqual({ count: done });
  });
});

describe('with TRASH_DAYS=0', () => {
  it('collections are deleted for good, those in the trash too, and the features say so', async () => {
    const before = await trashed(0);
    const url = app.settings.DATABASE_URL as string;
    const without = await startOwnApp({ database: { url }, environment: { TRASH_DAYS: '0' } });
    try {
      const { body: features } = await without.request('GET', '/v2/features', home.owner);
      expect(features.trash_days).toBe(0);
      const collection = await newTypedCollection(without, home);
      expect((await without.request('DELETE', collection.path, home.owner)).body).toEqual({ deleted: true });
      expect(await leftovers(app, collection)).toEqual([]);
      expect((await listTrash(without, home.owner)).body).toMatchObject({ items: [], total: 0 });
      for (const each of [collection, before])
        expect(outcome(await restore(without, each))).toEqual(NOT_FOUND);
      await remove(without);
      expect(await leftovers(app, before)).toEqual([]);
    } finally {
      await without.close();
    }
  });

  it('another number is the time for which collections can be restored', async () => {
    const url = app.settings.DATABASE_URL as string;
    const long = await startOwnApp({ database: { url }, environment: { TRASH_DAYS: '30' } });
    try {
      expect((await long.request('GET', '/v2/features', home.owner)).body.trash_days).toBe(30);
      const collection = await trashed(20);
      expect(namesIn(await listTrash(app, home.owner))).not.toContain(collection.name);
      expect(namesIn(await listTrash(long, home.owner))).toContain(collection.name);
      expect((await restore(long, collection)).status).toBe(200);
    } finally {
      await long.close();
    }
  });
});
