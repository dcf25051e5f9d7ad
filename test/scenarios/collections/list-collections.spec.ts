import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
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
} from '../../harness/collection.js';
import { roundTrips } from '../../harness/round-trips.js';
import { emailOf, newKey, newMember } from '../orgs/org.js';

describe('GET /v1/collections', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  const list = (query = '', caller: Caller = home.owner) =>
    app.request('GET', `/v1/collections${query}`, caller);
  const ids = (body: { items: { collection_id: string }[] }) => body.items.map(item => item.collection_id);

  it("returns the caller's own collections in the form of getCollection, oldest first", async () => {
    const own = await newHome(app);
    const [first, second] = [await newTypedCollection(app, own), await newCollection(app, own)];
    const { status, body } = await list('', own.owner);
    expect(status).toBe(200);
    expect(body).toEqual({
      items: [
        (await app.request('GET', first.path, own.owner)).body,
        (await app.request('GET', second.path, own.owner)).body,
      ],
      total: 2,
      page: 1,
      limit: 20,
    });
    expect(await eventsOf(app, first)).toHaveLength(1);
  });

  it('pages, and an empty page is not an error', async () => {
    const own = await newHome(app);
    const made = [
      await newCollection(app, own),
      await newCollection(app, own),
      await newCollection(app, own),
    ];
    const second = await list('?limit=2&page=2', own.owner);
    expect(second.body).toMatchObject({ total: 3, page: 2, limit: 2 });
    expect(ids(second.body)).toEqual([made[2]?.id]);
    expect((await list('?limit=2&page=9', own.owner)).body).toEqual({
      items: [],
      total: 3,
      page: 9,
      limit: 2,
    });
  });

  it('estimates row counts when requested, and returns null otherwise', async () => {
    const own = await newHome(app);
    const collection = await newTypedCollection(app, own);
    await insert(app, collection, EMMA, EMMA, EMMA);
    await app.sql(`ANALYZE ${collection.table}`);
    expect((await list('', own.owner)).body.items[0].row_count).toBeNull();
    expect((await list('?with_counts=false', own.owner)).body.items[0].row_count).toBeNull();
    expect((await list('?with_counts=true', own.owner)).body.items[0].row_count).toBe(3);
  });

  it('estimates row counts of collections that the database has not analysed yet', async () => {
    const own = await newHome(app);
    await insert(app, await newTypedCollection(app, own), EMMA, EMMA);
    const estimate = async () => (await list('?with_counts=true', own.owner)).body.items[0].row_count;
    await expect.poll(estimate).toBe(2);
  });

  describe('scopes', () => {
    let own: Home;
    let member: Caller;
    let admin: Caller;
    let ofOwner: string;
    let ofMember: string;
    beforeAll(async () => {
      own = await newHome(app);
      member = { token: (await newMember(app, own.org)).token };
      admin = { token: (await newMember(app, own.org, 'admin')).token };
      ofOwner = (await newCollection(app, own)).id;
      ofMember = (await newCollection(app, { org: own.org, owner: member })).id;
    });

    const tables: [string, () => Caller, string, () => string[]][] = [
      ['the owner of the organization', () => own.owner, 'owned', () => [ofOwner]],
      ['the owner of the organization', () => own.owner, 'shared', () => [ofMember]],
      ['the owner of the organization', () => own.owner, 'all', () => [ofOwner, ofMember]],
      ['an admin', () => admin, 'owned', () => []],
      ['an admin', () => admin, 'all', () => [ofOwner, ofMember]],
      ['a member', () => member, 'owned', () => [ofMember]],
      ['a member', () => member, 'shared', () => []],
      ['a member', () => member, 'all', () => [ofMember]],
    ];
    it.each(tables)('%s with scope %j… %s', async (_, caller, scope, expected) => {
      const { body } = await list(`?scope=${scope}`, caller());
      expect([ids(body), body.total]).toEqual([expected(), expected().length]);
    });

    it('for a key without an owner, the collections of the organization count as own', async () => {
      const key = { key: (await newKey(app, own.org, { permissions: ['collections:read'] })).apiKey };
      expect(ids((await list('', key)).body)).toEqual([ofOwner, ofMember]);
      expect(ids((await list('?scope=shared', key)).body)).toEqual([]);
      expect(ids((await list('?scope=all', key)).body)).toEqual([ofOwner, ofMember]);
    });

    it('for a key limited to a collection, only that one is listed', async () => {
      const narrowed = { permissions: ['*'], scopes: [`collections:${ofMember}`] };
      const key = { key: (await newKey(app, own.org, narrowed)).apiKey };
      expect((await list('', key)).body).toMatchObject({ items: [{ collection_id: ofMember }], total: 1 });
    });

    it('for a key of a member, the list is that of the member', async () => {
      const person = await newMember(app, own.org);
      const mine = await newCollection(app, { org: own.org, owner: { token: person.token } });
      const owned = { permissions: ['collections:read'], ownerType: 'user', ownerId: person.userId };
      const key = { key: (await newKey(app, own.org, owned)).apiKey };
      expect(ids((await list('?scope=all', key)).body)).toEqual([mine.id]);
    });

    it('for an agent, its own collections and those shared with it are listed', async () => {
      const agent = await app.request('POST', `${own.org.path}/agents`, {
        ...own.owner,
        body: { slug: 'reader', name: 'Reader' },
      });
      const owned = { permissions: ['collections:*'], ownerType: 'agent', ownerId: agent.body.id };
      const key = { key: (await newKey(app, own.org, owned)).apiKey };
      const shared = await newCollection(app, own, { agent_ids: [agent.body.id] });
      const itsOwn = await newCollection(app, { org: own.org, owner: key });
      expect(ids((await list('?scope=owned', key)).body)).toEqual([itsOwn.id]);
      expect(ids((await list('?scope=shared', key)).body)).toEqual([shared.id]);
      expect(ids((await list('?scope=all', key)).body)).toEqual([shared.id, itsOwn.id]);
      expect((await list('?scope=owned', key)).body.items[0]).toMatchObject({
        owner_type: 'agent',
        owner_id: agent.body.id,
      });
    });
  });

  describe('finds and sorts', () => {
    let own: Home;
    const names = async (query: string) => {
      const { body } = await list(`?${query}`, own.owner);
      return [body.items.map((item: { name: string }) => item.name).join(' '), body.total];
    };
    beforeAll(async () => {
      own = await newHome(app);
      await newCollection(app, own, { name: 'orders_2026', description: 'What 100% of Zoë sold' });
      await newCollection(app, own, { name: 'Archive', description: 'Old ORDERS' });
      await newCollection(app, own, { name: 'customers' });
      await newCollection(app, own, { name: 'ordersX2026', description: null });
    });

    it.each([
      ['q=order', 'orders_2026 Archive ordersX2026', 3],
      ['q=ORDERS', 'orders_2026 Archive ordersX2026', 3],
      ['q=s_2', 'orders_2026', 1],
      ['q=%25', 'orders_2026', 1],
      ['q=%5C', '', 0],
      ['q=ZO%C3%8B', 'orders_2026', 1],
      ['q=', 'orders_2026 Archive customers ordersX2026', 4],
      ['q=order&limit=1&page=2', 'Archive', 3],
      ['q=order&limit=1&page=9', '', 3],
      ['q=nothing&page=9', '', 0],
    ])('%s finds "%s"', async (query, found, total) => {
      expect(await names(query)).toEqual([found, total]);
    });

    it.each([
      ['sort=name', 'Archive customers ordersX2026 orders_2026'],
      ['sort=-name', 'orders_2026 ordersX2026 customers Archive'],
      ['sort=created_at', 'orders_2026 Archive customers ordersX2026'],
      ['sort=-created_at', 'ordersX2026 customers Archive orders_2026'],
      ['sort=name&limit=2&page=2', 'ordersX2026 orders_2026'],
      ['q=order&sort=-name', 'orders_2026 ordersX2026 Archive'],
    ])('%s gives "%s"', async (query, sorted) => {
      expect((await names(query))[0]).toBe(sorted);
    });

    it('by the last change', async () => {
      const path = '/v1/collections/customers';
      await app.request('PATCH', path, { ...own.owner, body: { description: 'changed' } });
      expect((await names('sort=-updated_at&limit=1'))[0]).toBe('customers');
      expect((await names('sort=updated_at&limit=1'))[0]).toBe('orders_2026');
    });
  });

  it("shows each caller's role and rights, and the owner's name", async () => {
    const own = await newHome(app);
    const reader = await newMember(app, own.org);
    const shared = await newCollection(app, own);
    const mine = await newCollection(app, { org: own.org, owner: { token: reader.token } });
    await app.request('POST', `${shared.path}/access`, {
      ...own.owner,
      body: { principal_type: 'user', principal_id: reader.userId, role: 'reader' },
    });
    const { body } = await list('?scope=all', { token: reader.token });
    expect(body.items).toEqual([
      expect.objectContaining({
        collection_id: shared.id,
        owner_name: await emailOf(app, own.org.owner),
        my_role: 'reader',
        my_rights: ['read'],
      }),
      expect.objectContaining({
        collection_id: mine.id,
        owner_name: await emailOf(app, reader),
        my_role: 'owner',
      }),
    ]);
  });

  it('takes one round trip to the database, however many collections it lists', async () => {
    const counting = await startOwnApp({ database: 'own' });
    try {
      const own = await newHome(counting);
      const listed = () => counting.request('GET', '/v1/collections?scope=all&sort=name&q=c-', own.owner);
      for (let number = 0; number < 5; number++) await newCollection(counting, own);
      await listed();
      const ask = async () => expect((await listed()).body.total).toBe(5);
      // The credential is verified again every five seconds.
      await expect.poll(() => roundTrips(counting, ask)).toBe(1);
    } finally {
      await counting.close();
    }
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=99999999999999999999', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=99999999999999999999999', 'page'],
    ['with_counts=1', 'with_counts'],
    ['with_counts=TRUE', 'with_counts'],
    ['scope=mine', 'scope'],
    ['scope=owned&scope=all', 'scope'],
    ['sort=size', 'sort'],
    ['sort=', 'sort'],
    ['sort=--name', 'sort'],
    ['sort=name&sort=-name', 'sort'],
    [`q=${'x'.repeat(201)}`, 'q'],
    ['q=%00', 'q'],
    ['limit[]=5', 'limit[]'],
    ['limit[a]=5', 'limit[a]'],
    ['__proto__=x', '__proto__'],
    ['constructor=x', 'constructor'],
  ])('refuses ?%s', async (query, place) => {
    const answer = await list(`?${query}`);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(place);
  });

  it('returns an empty page at an offset beyond the range of the database', async () => {
    expect((await list('?page=1000000000&limit=100')).body).toMatchObject({ items: [] });
  });
});
