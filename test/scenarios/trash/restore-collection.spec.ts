import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import {
  type Caller,
  EMMA,
  eventsOf,
  expire,
  type Home,
  insert,
  newCollection,
  newHome,
  newName,
  newTypedCollection,
  outcome,
  read,
  type TestCollection,
} from '../../harness/collection.js';
import { until } from '../changes/feed.js';
import { newKey, newMember } from '../orgs/org.js';
import { guest } from '../sharing/sharing.js';
import { type Receiver, startReceiver } from '../webhooks/receiver.js';
import { age, listTrash, namesIn, restore, trash } from './trash.js';

let app: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
});

const NOT_FOUND = [404, 'CollectionNotFound'];
const get = (path: string, caller: Caller = home.owner) => app.request('GET', path, caller);

/** The view without what a restore changes. */
function lasting({ body: { updated_at: _, ...view } }: { body: Record<string, unknown> }): object {
  return view;
}

describe('POST /v1/trash/collections/{collection_id}/restore', () => {
  it('returns the collection as it was, with its records, indexes, bindings, views and charts', async () => {
    const collection = await newTypedCollection(app, home, {
      description: 'Books of the library',
      uniques: [{ properties: ['title'] }],
      indexes: [{ properties: ['year'] }],
    });
    const [id] = (await insert(app, collection, EMMA)) as [string];
    const reader = { token: (await guest(app, home.org, collection, 'reader')).token };
    const view = { name: 'Mine', filter: { year: 1815 }, for: 'all' };
    await app.request('POST', `${collection.path}/views`, { ...home.owner, body: view });
    const charts = { charts: [{ id: 'a', type: 'bar' }] };
    await app.request('PUT', `${collection.path}/charts`, { ...home.owner, body: charts });
    const parts = ['/access', '/views', '/charts'];
    const before = await Promise.all(parts.map(part => get(collection.path + part)));
    const [record, former] = [await read(app, collection, id), await get(collection.path)];
    await trash(app, collection);
    const restored = await restore(app, collection);
    expect(restored.status).toBe(200);
    expect(lasting(restored)).toEqual(lasting(former));
    expect(restored.body).toEqual((await get(collection.path)).body);
    expect(await read(app, collection, id)).toEqual(record);
    const after = await Promise.all(parts.map(part => get(collection.path + part)));
    expect(after.map(({ body }) => body)).toEqual(before.map(({ body }) => body));
    expect((await get(`${collection.data}/${id}`, reader)).status).toBe(200);
    const twin = { records: { ...EMMA, year: 1816 } };
    const refused = await app.request('POST', collection.data, { ...home.owner, body: twin });
    expect(outcome(refused)).toEqual([409, 'AlreadyExists']);
    const indexes = await app.sql('SELECT FROM pg_indexes WHERE indexname ~ $1 AND schemaname = $2', [
      '^[iu]_',
      collection.table.split('.')[0],
    ]);
    expect(indexes.length).toBeGreaterThanOrEqual(2);
  });

  it('leaves one event, and a collection that leaves the trash once', async () => {
    const collection = await newCollection(app, home);
    await trash(app, collection);
    const answers = await Promise.all([1, 2, 3].map(() => restore(app, collection)));
    expect(answers.map(outcome).sort()).toEqual([[200, undefined], NOT_FOUND, NOT_FOUND]);
    expect(namesIn(await listTrash(app, home.owner))).not.toContain(collection.name);
    const events = await eventsOf(app, collection);
    expect(events.map(({ type }) => type)).toEqual([
      'collections.created',
      'collections.deleted',
      'collections.restored',
    ]);
    expect(events[2]).toMatchObject({
      actor: { id: home.org.owner.userId, via: 'rest' },
      changes: { before: { name: collection.name }, after: { name: collection.name } },
    });
    expect(await eventsOf(app, collection)).toHaveLength(3);
  });

  it('takes another name when the former one is in use, and refuses both that are', async () => {
    const collection = await newCollection(app, home);
    const [id] = (await insert(app, collection, { n: 1 })) as [string];
    await trash(app, collection);
    await newCollection(app, home, { name: collection.name });
    const other = await newCollection(app, home);
    for (const body of [{}, { name: collection.name }, { name: other.name }])
      expect(outcome(await restore(app, collection, { body }))).toEqual([409, 'AlreadyExists']);
    expect(namesIn(await listTrash(app, home.owner))).toContain(collection.name);
    const name = newName();
    const restored = await restore(app, collection, { body: { name } });
    expect(restored.body).toMatchObject({ collection_id: collection.id, name });
    expect(await read(app, collection, id)).toMatchObject({ n: 1 });
    expect((await eventsOf(app, collection)).at(-1)?.changes).toMatchObject({
      before: { name: collection.name },
      after: { name },
    });
  });

  it('refuses a body that is not valid', async () => {
    const collection = await newCollection(app, home);
    await trash(app, collection);
    for (const body of [{ name: 'not a name' }, { name: '' }, { name: 7 }, { unknown: 1 }])
      expect(outcome(await restore(app, collection, { body }))).toEqual([400, 'InvalidArguments']);
    const without = await app.request('POST', `/v1/trash/collections/${collection.id}/restore`, home.owner);
    expect(without.status).toBe(200);
  });

  it('accepts the name of a deleted collection, unless several have it', async () => {
    const name = newName();
    const first = await newCollection(app, home, { name });
    await trash(app, first);
    expect((await restore(app, first, { as: name })).body).toMatchObject({ collection_id: first.id });
    await trash(app, first);
    const second = await newCollection(app, home, { name });
    await trash(app, second);
    const ambiguous = await restore(app, first, { as: name });
    expect(outcome(ambiguous)).toEqual([409, 'AmbiguousName']);
    expect([...ambiguous.body.details.ids].sort()).toEqual([first.id, second.id].sort());
    expect((await restore(app, second)).status).toBe(200);
  });

  it('prefers an own collection to one of the same name of somebody else', async () => {
    const member = await newMember(app, home.org);
    const name = newName();
    const others = await newCollection(app, { org: home.org, owner: { token: member.token } }, { name });
    await trash(app, others);
    expect((await restore(app, others, { caller: home.owner, as: name })).status).toBe(200);
    await trash(app, others);
    const own = await newCollection(app, home, { name });
    await trash(app, own);
    const restored = await restore(app, own, { as: name });
    expect(restored.body).toMatchObject({ collection_id: own.id });
  });

  it('is done by those who may delete the collection; the others get 404', async () => {
    const { org } = home;
    const member = { token: (await newMember(app, org)).token };
    const collection = await newCollection(app, { org, owner: member });
    const key = async (key: object) => ({ key: (await newKey(app, org, key)).apiKey });
    const scoped = (id: string) => key({ permissions: ['collections:*'], scopes: [`collections:${id}`] });
    const refused: Caller[] = [
      { token: (await guest(app, org, collection, 'admin')).token },
      { token: (await guest(app, org, collection, 'reader')).token },
      { token: (await newMember(app, org, 'admin')).token },
      { token: (await newMember(app, org)).token },
      await key({ permissions: ['collections:read', 'collections:manage'] }),
      await scoped('00000000-0000-7000-8000-000000000000'),
      (await newHome(app)).owner,
    ];
    const allowed = [member, home.owner, await key({ permissions: ['*'] }), await scoped(collection.id)];
    await trash(app, collection);
    for (const caller of refused)
      expect(outcome(await restore(app, collection, { caller }))).toEqual(NOT_FOUND);
    expect(outcome(await restore(app, collection, { caller: {} }))[0]).toBe(401);
    for (const caller of allowed) {
      expect((await restore(app, collection, { caller })).status).toBe(200);
      await trash(app, collection);
    }
    expect(
      (await eventsOf(app, collection)).filter(({ type }) => type === 'collections.restored'),
    ).toHaveLength(allowed.length);
  });

  it('finds no collection that is in use or does not exist', async () => {
    const collection = await newCollection(app, home);
    for (const as of [collection.id, collection.name, '00000000-0000-7000-8000-000000000000', 'no-such', 'é'])
      expect(outcome(await restore(app, collection, { as: encodeURIComponent(as) }))).toEqual(NOT_FOUND);
    expect((await get(collection.path)).status).toBe(200);
  });

  it('does not give access back to people who have left the organization meanwhile', async () => {
    const collection = await newCollection(app, home);
    const reader = await guest(app, home.org, collection, 'reader');
    await trash(app, collection);
    await app.request('DELETE', `${home.org.path}/members/${reader.userId}`, home.owner);
    await restore(app, collection);
    const { body } = await get(`${collection.path}/access`);
    expect(body.total).toBe(1);
  });

  it('keeps max_records exact', async () => {
    const collection = await newCollection(app, home, { settings: { max_records: 4 } });
    await insert(app, collection, { n: 1 }, { n: 2 });
    await trash(app, collection);
    await restore(app, collection);
    await insert(app, collection, { n: 3 }, { n: 4 });
    const more = await app.request('POST', collection.data, { ...home.owner, body: { records: { n: 5 } } });
    expect(outcome(more)).toEqual([422, 'CollectionFull']);
  });

  it('shows no record that has expired meanwhile', async () => {
    const collection = await newCollection(app, home);
    const [id] = (await insert(app, collection, { n: 1 }, { n: 2 })) as [string];
    await expire(app, collection, id);
    await trash(app, collection);
    await restore(app, collection);
    expect((await get(`${collection.data}/count`)).body).toEqual({ count: 1 });
  });

  it('finishes indexes that were being built when the collection was deleted', async () => {
    const collection = await newTypedCollection(app, home);
    await app.sql(
      `UPDATE collections SET status = 'building', indexes = $2, version = version + 1 WHERE id = $1`,
      [collection.id, JSON.stringify([{ properties: ['year'] }])],
    );
    await trash(app, collection);
    expect((await restore(app, collection)).body).toMatchObject({ status: 'building' });
    await expect
      .poll(async () => (await get(collection.path)).body.status, { timeout: 20_000 })
      .toBe('ready');
    const [{ count }] = await app.sql(
      `SELECT count(*)::int AS count FROM pg_index WHERE indrelid = $1::regclass AND indisvalid`,
      [collection.table],
    );
    // The primary key, the index of expiry times, and the one that was asked for.
    expect(count).toBe(3);
  });

  it('of one name by many callers at once gives it to one collection', async () => {
    const name = newName();
    const deleted: TestCollection[] = [];
    for (let n = 0; n < 3; n++) {
      const collection = await newCollection(app, home, { name });
      await trash(app, collection);
      deleted.push(collection);
    }
    const create = () => app.request('POST', '/v1/collections', { ...home.owner, body: { name } });
    const answers = await Promise.all([
      ...deleted.map(collection => restore(app, collection)),
      create(),
      create(),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    const { body } = await get(`/v1/collections?q=${name}`);
    expect(body.total).toBe(1);
  });
});

describe('GET /v1/trash/collections', () => {
  it('lists deleted collections as listCollections does, last deleted first, with their times', async () => {
    const own = await newHome(app);
    const [first, second] = [await newTypedCollection(app, own), await newCollection(app, own)];
    const kept = await newCollection(app, own);
    const views = await Promise.all([first, second].map(({ path }) => get(path, own.owner)));
    await trash(app, first);
    await trash(app, second);
    await age(app, first, 2);
    const { status, body } = await listTrash(app, own.owner);
    expect(status).toBe(200);
    const times = { deleted_at: expect.any(String), restorable_until: expect.any(String) };
    expect(body).toEqual({
      items: [
        { ...views[1]?.body, ...times },
        { ...views[0]?.body, ...times },
      ],
      total: 2,
      page: 1,
      limit: 20,
    });
    for (const { deleted_at, restorable_until } of body.items)
      expect(Date.parse(restorable_until) - Date.parse(deleted_at)).toBe(7 * 86_400_000);
    expect(JSON.stringify(body)).not.toContain(kept.id);
    const page = await listTrash(app, own.owner, '?limit=1&page=2');
    expect(namesIn(page)).toEqual([first.name]);
    expect(page.body).toMatchObject({ total: 2, page: 2, limit: 1 });
    expect((await listTrash(app, own.owner, '?page=9')).body).toMatchObject({ items: [], total: 2 });
  });

  it('shows what the caller may delete, and nothing else', async () => {
    const own = await newHome(app);
    const member = { token: (await newMember(app, own.org)).token };
    const [theirs, mine] = [
      await newCollection(app, { org: own.org, owner: member }),
      await newCollection(app, own),
    ];
    const admin = { token: (await newMember(app, own.org, 'admin')).token };
    const reader = { token: (await guest(app, own.org, mine, 'reader')).token };
    const key = async (key: object) => ({ key: (await newKey(app, own.org, key)).apiKey });
    const [all, one] = [
      await key({ permissions: ['*'] }),
      await key({ permissions: ['collections:*'], scopes: [`collections:${mine.id}`] }),
    ];
    await trash(app, theirs);
    await trash(app, mine);
    const seen = async (caller: Caller) => namesIn(await listTrash(app, caller));
    expect(await seen(member)).toEqual([theirs.name]);
    expect(await seen(own.owner)).toEqual([mine.name, theirs.name]);
    expect(await seen(all)).toEqual([mine.name, theirs.name]);
    expect(await seen(one)).toEqual([mine.name]);
    for (const caller of [admin, reader])
      expect((await listTrash(app, caller)).body).toMatchObject({ items: [], total: 0 });
    expect((await listTrash(app, (await newHome(app)).owner)).body).toMatchObject({ items: [], total: 0 });
    const weak = await key({ permissions: ['collections:read'] });
    expect(outcome(await listTrash(app, weak))).toEqual([403, 'Forbidden']);
    expect((await listTrash(app, {})).status).toBe(401);
  });

  it('refuses parameters that no list has', async () => {
    for (const query of ['?limit=0', '?limit=101', '?page=0', '?scope=all'])
      expect(outcome(await listTrash(app, home.owner, query))).toEqual([400, 'InvalidArguments']);
  });
});

describe('webhooks of a deleted collection', () => {
  let receiver: Receiver;
  let hooked: TestApp;
  let place: Home;
  beforeAll(async () => {
    hooked = await startOwnApp({ environment: { OUTBOUND_ALLOW_INSECURE_HOSTS: '127.0.0.1' } });
    place = await newHome(hooked);
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await receiver.close();
    await hooked.close();
  });

  it('are silent, and come back switched off without messages from before', async () => {
    const collection = await newCollection(hooked, place);
    const hooks = `${collection.path}/webhooks`;
    const made = await hooked.request('POST', hooks, { ...place.owner, body: { url: receiver.url } });
    const { id } = made.body;
    await insert(hooked, collection, { n: 1 });
    await until(() => receiver.arrived.length === 1, 'the first message');
    // A message that waits for its next attempt.
    await hooked.sql(
      `INSERT INTO webhook_deliveries (id, webhook_id, changes, payload, due_at)
       VALUES (gen_random_uuid(), $1, 1, '{"never":"sent"}', now() + interval '1 hour')`,
      [id],
    );
    await trash(hooked, collection);
    const pending = `SELECT FROM webhook_deliveries WHERE webhook_id = $1 AND status = 'pending'`;
    expect(await hooked.sql(pending, [id])).toEqual([]);
    expect((await restore(hooked, collection)).status).toBe(200);
    const [hook] = (await hooked.request('GET', hooks, place.owner)).body.items;
    expect(hook).toMatchObject({ id, status: 'paused', url: receiver.url });
    await insert(hooked, collection, { n: 2 });
    await hooked.request('PATCH', `${hooks}/${id}`, { ...place.owner, body: { active: true } });
    await until(() => receiver.arrived.length >= 2, 'the message of the second insert');
    await insert(hooked, collection, { n: 3 });
    await until(() => receiver.arrived.length >= 3, 'the message of the last insert');
    const values = receiver.arrived.flatMap(({ changes }) => changes.map(({ record }) => record.n));
    expect(values).toEqual([1, 2, 3]);
    expect(receiver.arrived.map(({ body }) => body).join()).not.toContain('never');
  });
});
