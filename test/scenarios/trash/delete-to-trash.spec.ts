import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
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
import { ask, now, pulled, typesAndValues } from '../changes/feed.js';
import { connect } from '../mcp/client.js';
import { newKey, newMember } from '../orgs/org.js';
import { guest } from '../sharing/sharing.js';
import { leftovers, listTrash, namesIn, restore, trash, trashedTable } from './trash.js';

const DAY_MS = 86_400_000;

let app: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
});

describe('a deleted collection', () => {
  it('can be restored for seven days, and its deletion leaves one event', async () => {
    const collection = await newTypedCollection(app, home);
    const before = Date.now();
    const { status, body } = await app.request('DELETE', collection.path, home.owner);
    expect([status, body]).toEqual([200, { deleted: true, restorable_until: expect.any(String) }]);
    const until = new Date(body.restorable_until).getTime();
    expect(until).toBeGreaterThanOrEqual(before + 7 * DAY_MS - 1);
    expect(until).toBeLessThan(Date.now() + 7 * DAY_MS + 60_000);
    const events = await eventsOf(app, collection);
    expect(events.map(({ type }) => type)).toEqual(['collections.created', 'collections.deleted']);
    expect(events[1]).toMatchObject({
      actor: { id: home.org.owner.userId },
      changes: {
        before: { name: collection.name },
        after: { restorableUntil: body.restorable_until },
      },
    });
  });

  it('answers 404 on every route of a collection, by its id and by its name', async () => {
    const collection = await newTypedCollection(app, home);
    const [record] = await insert(app, collection, EMMA);
    // The instance knows the collection.
    await app.request('GET', `${collection.data}/${record}`, home.owner);
    await trash(app, collection);
    const { paths } = (await app.request('GET', '/openapi.json')).body;
    const routes = Object.entries<Record<string, unknown>>(paths)
      .filter(([path]) => path.startsWith('/v1/collections/{collection_id}'))
      .flatMap(([path, item]) => Object.keys(item).map(method => [method.toUpperCase(), path] as const));
    expect(routes.length).toBeGreaterThan(40);
    const answers: [string, number, string | undefined][] = [];
    for (const reference of [collection.id, collection.name]) {
      for (const [method, path] of routes) {
        const url = path
          .replace('{collection_id}', reference)
          .replace('{record_id}', record as string)
          .replace(/\{\w+\}/g, record as string);
        const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
        const answer = await app.request(method, url, { ...home.owner, ...body });
        answers.push([`${method} ${path}`, ...outcome(answer)]);
      }
    }
    expect(answers.filter(([, status, error]) => status !== 404 || error !== 'CollectionNotFound')).toEqual(
      [],
    );
  });

  it('is in no list of collections, and in no list of a model', async () => {
    const own = await newHome(app);
    const collection = await newCollection(app, own, { description: 'to be deleted' });
    const other = await newCollection(app, own);
    await trash(app, collection);
    for (const query of ['', '?scope=all', `?q=${other.name.slice(0, 3)}`, '?sort=name', '?page=2']) {
      const { body } = await app.request('GET', `/v1/collections${query}`, own.owner);
      expect(body.total).toBe(1);
      expect(JSON.stringify(body)).not.toContain(collection.id);
    }
    const found = await app.request('GET', '/v1/collections?q=deleted', own.owner);
    expect(found.body).toMatchObject({ items: [], total: 0 });
    const { sdk } = await connect(app, own.owner);
    const { resources } = await sdk.listResources();
    expect(JSON.stringify(resources)).toContain(other.name);
    expect(JSON.stringify(resources)).not.toContain(collection.name);
    await sdk.close();
  });

  it('revokes its keys for good', async () => {
    const collection = await newCollection(app, home);
    const wanted = { name: 'Key', slug: `k-${collection.name}` };
    const made = await app.request('POST', `${collection.path}/api-keys`, { ...home.owner, body: wanted });
    const key = { key: made.body.secret };
    expect((await app.request('GET', collection.path, key)).status).toBe(200);
    await trash(app, collection);
    expect((await app.request('GET', collection.path, key)).status).toBe(401);
    expect((await listTrash(app, key)).status).toBe(401);
    expect((await restore(app, collection)).status).toBe(200);
    expect((await app.request('GET', collection.path, key)).status).toBe(401);
    const { body } = await app.request('GET', `${collection.path}/api-keys`, home.owner);
    expect(body).toMatchObject({ items: [], total: 0 });
  });

  it('has no feed any more; a restored one begins a new feed', async () => {
    const collection = await newCollection(app, home);
    const since = await now(app, collection);
    await insert(app, collection, { n: 1 });
    await trash(app, collection);
    expect(outcome(await ask(app, collection, { since }))).toEqual([404, 'CollectionNotFound']);
    const schema = collection.table.split('.')[0];
    expect(
      await app.sql(`SELECT FROM ${schema}.record_feeds WHERE collection_id = $1`, [collection.id]),
    ).toEqual([]);
    await restore(app, collection);
    expect(outcome(await ask(app, collection, { since }))).toEqual([410, 'PositionExpired']);
    const again = await now(app, collection);
    await insert(app, collection, { n: 2 });
    expect(typesAndValues(await pulled(app, collection, again), 'n')).toEqual([['inserted', 2]]);
  });

  it('gives up its name', async () => {
    const collection = await newCollection(app, home);
    await insert(app, collection, { n: 1 });
    await trash(app, collection);
    const again = await newCollection(app, home, { name: collection.name });
    expect((await app.request('GET', `${again.data}/count`, home.owner)).body).toEqual({ count: 0 });
    const { body } = await app.request('GET', `/v1/collections/${collection.name}`, home.owner);
    expect(body.collection_id).toBe(again.id);
  });

  it('cannot be deleted again without permanent=true', async () => {
    const collection = await newCollection(app, home);
    const answers = await Promise.all(
      [1, 2, 3].map(() => app.request('DELETE', collection.path, home.owner)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect((await eventsOf(app, collection)).map(({ type }) => type)).toEqual([
      'collections.created',
      'collections.deleted',
    ]);
    expect(namesIn(await listTrash(app, home.owner))).toContain(collection.name);
  });

  it('is deleted only in the version that If-Match names', async () => {
    const collection = await newCollection(app, home);
    const { headers } = await app.request('GET', collection.path, home.owner);
    const tag = headers.get('etag') as string;
    await app.request('PATCH', collection.path, { ...home.owner, body: { description: 'new' } });
    const refused = await app.request('DELETE', collection.path, {
      ...home.owner,
      headers: { 'if-match': tag },
    });
    expect(refused.status).toBe(412);
    expect((await app.request('GET', collection.path, home.owner)).status).toBe(200);
  });
});

describe('DELETE /v1/collections/{collection_id}?permanent=true', () => {
  const deleteForGood = ({ path }: TestCollection, caller = home.owner) =>
    app.request('DELETE', `${path}?permanent=true`, caller);

  it('deletes a collection with everything at once', async () => {
    const collection = await newTypedCollection(app, home);
    await insert(app, collection, EMMA);
    await guest(app, home.org, collection, 'reader');
    const { status, body } = await deleteForGood(collection);
    expect([status, body]).toEqual([200, { deleted: true }]);
    expect(await leftovers(app, collection)).toEqual([]);
    expect(namesIn(await listTrash(app, home.owner))).not.toContain(collection.name);
    expect(outcome(await restore(app, collection))).toEqual([404, 'CollectionNotFound']);
    const [, , , deleted] = await eventsOf(app, collection);
    expect(deleted?.type).toBe('collections.deleted');
    expect(deleted?.changes).not.toHaveProperty('after');
  });

  it('takes a collection out of the trash and deletes it', async () => {
    const collection = await newTypedCollection(app, home);
    await insert(app, collection, EMMA);
    await guest(app, home.org, collection, 'reader');
    await trash(app, collection);
    expect(await leftovers(app, collection)).toEqual(expect.arrayContaining([trashedTable(collection)]));
    const { status, body } = await deleteForGood(collection);
    expect([status, body]).toEqual([200, { deleted: true }]);
    expect(await leftovers(app, collection)).toEqual([]);
    expect(outcome(await restore(app, collection))).toEqual([404, 'CollectionNotFound']);
    expect(outcome(await deleteForGood(collection))).toEqual([404, 'CollectionNotFound']);
    const events = await eventsOf(app, collection);
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['collections.deleted', 'collections.removed']);
    expect(events.at(-1)).toMatchObject({
      actor: { id: home.org.owner.userId, via: 'rest' },
      changes: { before: { name: collection.name } },
    });
  });

  it('finds a collection in the trash by its id only, so that a name never deletes an older one', async () => {
    const collection = await newCollection(app, home);
    await trash(app, collection);
    const byName = await app.request(
      'DELETE',
      `/v1/collections/${collection.name}?permanent=true`,
      home.owner,
    );
    expect(outcome(byName)).toEqual([404, 'CollectionNotFound']);
    expect((await restore(app, collection)).status).toBe(200);
  });

  it('is refused with 404 to those who may not delete a collection in the trash', async () => {
    const collection = await newCollection(app, home);
    const callers = [
      { token: (await guest(app, home.org, collection, 'admin')).token },
      { token: (await newMember(app, home.org, 'admin')).token },
      {
        key: (await newKey(app, home.org, { permissions: ['collections:read', 'collections:write'] })).apiKey,
      },
      (await newHome(app)).owner,
    ];
    await trash(app, collection);
    for (const caller of callers)
      expect(outcome(await deleteForGood(collection, caller))).toEqual([404, 'CollectionNotFound']);
    expect((await restore(app, collection)).status).toBe(200);
  });

  it('accepts true and false only', async () => {
    const collection = await newCollection(app, home);
    const answer = await app.request('DELETE', `${collection.path}?permanent=yes`, home.owner);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect((await app.request('DELETE', `${collection.path}?permanent=false`, home.owner)).body).toEqual({
      deleted: true,
      restorable_until: expect.any(String),
    });
  });
});
