import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import {
  eventsOf,
  expire,
  type Home,
  insert,
  newHome,
  newTypedCollection,
  outcome,
  read,
  search,
  type TestCollection,
} from '../../harness/collection.js';
import { during, until } from '../schema/database.js';

describe('expired records', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  const expiries = async ({ table }: TestCollection): Promise<(number | null)[]> =>
    (
      await app.sql(
        `SELECT round(extract(epoch FROM expires_at - created_at) / 86400)::int AS days FROM ${table} ORDER BY _id`,
      )
    ).map(row => row.days);

  it('get their lifetime from the request, else from the collection; 0 means forever', async () => {
    const collection = await newTypedCollection(app, home, { settings: { ttl_days: 30 } });
    const post = (body: object, path = '') =>
      app.request('POST', `${collection.data}${path}`, { ...home.owner, body });
    await post({ records: {} });
    await post({ records: {}, ttl_days: 2 });
    await post({ records: {}, ttl_days: 0 });
    await post({ records: [{}] }, '/bulk');
    await app.request('PATCH', collection.path, { ...home.owner, body: { settings: { ttl_days: 0 } } });
    await post({ records: {} });
    expect(await expiries(collection)).toEqual([30, 2, null, 30, null]);
  });

  it.each([
    ['an insert', '', { records: {}, ttl_days: 1 }],
    ['an upsert', '/upsert', { data: { title: 'first' }, match_fields: ['title'], ttl_days: 1 }],
  ])(
    'are filtered out as soon as %s sets a lifetime, also by an instance without the notification',
    async (_, path, body) => {
      const other = await startOwnApp({
        database: { url: app.settings.DATABASE_URL as string },
        environment: { PUBLIC_URL: app.settings.PUBLIC_URL },
      });
      try {
        const collection = await newTypedCollection(app, home);
        const count = async () => (await other.request('GET', `${collection.data}/count`, home.owner)).body;
        expect(await count()).toEqual({ count: 0 });
        expect((await app.request('POST', collection.data + path, { ...home.owner, body })).status).toBe(200);
        expect(await count()).toEqual({ count: 1 });
        await app.sql(`UPDATE ${collection.table} SET expires_at = now()`);
        expect(await count()).toEqual({ count: 0 });
        expect(await eventsOf(app, collection)).toHaveLength(2);
      } finally {
        await other.close();
      }
    },
  );

  it('are invisible at once to every operation', async () => {
    const collection = await newTypedCollection(app, home);
    const { data, owner } = collection;
    const [gone, stays] = await insert(app, collection, { year: 1, f: 1 }, { year: 2, f: 2 });
    await expire(app, collection, gone as string);
    const get = async (path: string) => (await app.request('GET', `${data}${path}`, owner)).body;
    expect(outcome(await app.request('GET', `${data}/${gone}`, owner))).toEqual([404, 'RecordNotFound']);
    expect((await get('')).records).toMatchObject([{ _id: stays }]);
    expect((await get('?cursor=')).records).toHaveLength(1);
    expect(await search(app, collection, { filter: { f: { $lt: 5 } }, with_total: true })).toMatchObject({
      count: 1,
      total: 1,
    });
    expect((await search(app, collection, { filter: { _id: gone } })).count).toBe(0);
    expect(await get('/count')).toEqual({ count: 1 });
    expect((await get('/distinct?field=year')).values).toEqual([2]);
    expect((await get('/distinct?field=f')).values).toEqual([2]);
    const body = { steps: [{ type: 'sum', input_field: 'year', output_field: 'v' }] };
    expect((await app.request('POST', `${data}/aggregate`, { ...owner, body })).body.results).toEqual([
      { v: 2 },
    ]);
    const before = await eventsOf(app, collection);
    const patched = await app.request('PATCH', `${data}/${gone}`, { ...owner, body: { year: 3 } });
    expect(outcome(patched)).toEqual([404, 'RecordNotFound']);
    expect(outcome(await app.request('DELETE', `${data}/${gone}`, owner))).toEqual([404, 'RecordNotFound']);
    expect(await eventsOf(app, collection)).toEqual(before);
  });

  describe('do not block unique values', () => {
    let collection: TestCollection;
    let gone: string;
    const send = (method: string, path: string, body: object) =>
      app.request(method, `${collection.data}${path}`, { ...home.owner, body });
    /** Statements that wait for a row of the table. */
    const waitingFor = async ({ table }: TestCollection) =>
      (
        await app.sql(
          `SELECT FROM pg_locks w JOIN pg_locks t USING (pid)
           WHERE NOT w.granted AND w.locktype IN ('transactionid', 'tuple') AND t.relation = $1::regclass`,
          [table],
        )
      ).length;
    const fresh = async () => {
      collection = await newTypedCollection(app, home, { uniques: [{ properties: ['title'] }] });
      [gone] = (await insert(app, collection, { title: 'once', f: 'old' }, { title: 'other' })) as [string];
      await expire(app, collection, gone);
    };

    it.each<[string, string, object, number]>([
      ['an insert', '', { records: { title: 'once' } }, 200],
      ['a bulk append', '/bulk', { records: [{ title: 'once' }] }, 201],
      ['a bulk upsert', '/bulk', { records: [{ title: 'once' }], upsert_key: 'title' }, 201],
    ])('for %s, which creates a new record', async (_, path, body, status) => {
      await fresh();
      expect((await send('POST', path, body)).status).toBe(status);
      const { records } = await search(app, collection, { filter: { title: 'once' } });
      expect(records).toHaveLength(1);
      expect(records[0]._id).not.toBe(gone);
      expect(records[0]).not.toHaveProperty('f');
    });

    it('for an update', async () => {
      await fresh();
      const [id] = await insert(app, collection, { title: 'mine' });
      const answer = await send('PATCH', `/${id}`, { title: 'once' });
      expect([answer.status, answer.body]).toEqual([200, { matched_count: 1, updated_count: 1 }]);
      expect((await read(app, collection, id as string)).title).toBe('once');
    });

    it('for an insert while another request removes the expired record', async () => {
      await fresh();
      const lock = `SELECT FROM ${collection.table} WHERE _id = '${gone}' FOR UPDATE`;
      const { answer } = await during(app, lock, async () => {
        const sent = send('POST', '', { records: { title: 'once' } });
        await Promise.race([sent, until(async () => (await waitingFor(collection)) > 0)]);
        return { answer: sent };
      });
      expect((await answer).status).toBe(200);
      expect((await search(app, collection, { filter: { title: 'once' } })).count).toBe(1);
    });

    it('while other records still do', async () => {
      await fresh();
      expect(outcome(await send('POST', '', { records: [{ title: 'once' }, { title: 'other' }] }))).toEqual([
        409,
        'AlreadyExists',
      ]);
      expect((await search(app, collection, {})).count).toBe(1);
    });

    it('and leave one event for the removed record and one for the written one', async () => {
      await fresh();
      await send('POST', '', { records: { title: 'once' } });
      const events = (await eventsOf(app, collection)).slice(2);
      expect(events.map(({ type, count }) => [type, count])).toEqual([
        ['collections.records.expired', 1],
        ['collections.records.inserted', 1],
      ]);
      expect(events[0]?.record_ids).toEqual([gone]);
    });
  });
});
