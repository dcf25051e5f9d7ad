import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp } from '../../harness/app.js';
import {
  eventsOf,
  type Home,
  newCollection,
  outcome,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { roundTrips } from '../../harness/round-trips.js';
import { startTwoInstances } from '../../harness/two-instances.js';
import { importFile, NDJSON } from '../transfer/transfer.js';

const UNIQUE = { properties: { k: { type: 'integer' } }, uniques: [{ properties: ['k'] }] };

describe('the quota of a collection', () => {
  let app: TestApp;
  let second: TestApp;
  let home: Home;
  beforeAll(async () => {
    ({ app, second, home } = await startTwoInstances());
  });
  afterAll(() => second.close());

  const limited = (max_records: number, more: object = {}) =>
    newCollection(app, home, { settings: { max_records }, ...more });
  const add = (instance: TestApp, { data }: TestCollection, records: object | object[] = {}) =>
    instance.request('POST', data, { ...home.owner, body: { records } });
  const addMany = (instance: TestApp, { data }: TestCollection, count: number) =>
    instance.request('POST', `${data}/bulk`, { ...home.owner, body: { records: empty(count) } });
  const remove = (instance: TestApp, { data }: TestCollection, id: string) =>
    instance.request('DELETE', `${data}/${id}`, home.owner);
  const empty = (count: number) => Array.from({ length: count }, () => ({}));
  const schemaOf = ({ table }: TestCollection) => table.split('.')[0] as string;
  const quotaOf = async (collection: TestCollection) => {
    const of = (table: string) => `${schemaOf(collection)}.${table}`;
    const [row] = await app.sql(
      `SELECT generation::int, used::int, (SELECT count(*)::int FROM ${of('quota_leases')} WHERE collection_id = $1) AS leases,
         (SELECT count(*)::int FROM ${of('quota_returns')} WHERE collection_id = $1) AS returns
       FROM ${of('record_quotas')} WHERE collection_id = $1`,
      [collection.id],
    );
    return row as { generation: number; used: number; leases: number; returns: number };
  };
  /** Counts of unexpired records, read repeatedly until `work` has ended. */
  const mostWhile = async (collection: TestCollection, work: Promise<unknown>) => {
    let most = 0;
    let isOver = false;
    const ended = work.finally(() => {
      isOver = true;
    });
    while (!isOver) most = Math.max(most, (await written(app, collection))[0]);
    await ended;
    return most;
  };

  it.each([
    [300, 0],
    [2_500, 2_300],
  ])(
    'of %i with %i records is filled exactly and never exceeded by inserts on two instances',
    async (max, there) => {
      const collection = await limited(max);
      if (there > 0) await addMany(second, collection, there);
      const wanted = max - there + 40;
      const answers: number[] = [];
      const clients = Array.from({ length: 20 }, async (_, client) => {
        for (let n = client; n < wanted; n += 20)
          answers.push((await add(n % 2 === 0 ? app : second, collection)).status);
      });
      const most = await mostWhile(collection, Promise.all(clients));
      expect(most).toBeLessThanOrEqual(max);
      expect(answers.filter(status => status === 422)).toHaveLength(40);
      expect(answers.filter(status => status === 200)).toHaveLength(max - there);
      expect((await written(app, collection))[0]).toBe(max);
    },
  );

  it('keeps all of its capacity when the collection changes while instances hold leases', async () => {
    const collection = await limited(640);
    for (let n = 0; n < 10; n++) {
      expect((await add(app, collection)).status).toBe(200);
      const body = { description: `change ${n}` };
      expect((await second.request('PATCH', collection.path, { ...home.owner, body })).status).toBe(200);
    }
    expect((await addMany(app, collection, 600)).status).toBe(201);
    for (let n = 0; n < 30; n++) expect((await add(app, collection)).status).toBe(200);
    expect(outcome(await add(app, collection))).toEqual([422, 'CollectionFull']);
  });

  it('is leased ahead while it is far from the limit, so that an insert is one round trip', async () => {
    const collection = await limited(100_000);
    await add(app, collection);
    expect((await quotaOf(collection)).leases).toBe(1);
    const inserts = async () => {
      for (let n = 0; n < 20; n++) expect((await add(app, collection)).status).toBe(200);
    };
    // Requests of the instance itself, for example its heartbeat, are counted too.
    expect(await roundTrips(app, inserts)).toBeLessThan(25);
  });

  it('is taken back from an instance that holds capacity without using it', async () => {
    const collection = await limited(2_000);
    expect((await add(app, collection)).status).toBe(200);
    const held = await quotaOf(collection);
    expect(held.used).toBeGreaterThan(50);
    expect((await addMany(second, collection, 1_999)).status).toBe(201);
    expect(await quotaOf(collection)).toMatchObject({ generation: held.generation, used: 2_000, leases: 0 });
    for (const instance of [app, second])
      expect(outcome(await add(instance, collection))).toEqual([422, 'CollectionFull']);
  });

  it('is taken back for an import that needs all of it', async () => {
    const collection = await limited(400);
    await add(app, collection);
    const lines = empty(399).map(record => JSON.stringify(record));
    const query = { mode: 'append' };
    const whole = await importFile(second, collection, lines.join('\n'), {
      type: NDJSON,
      query,
      caller: home.owner,
    });
    expect(whole.last ?? whole.body).toMatchObject({ ok: true, inserted: 399 });
    const over = await importFile(app, collection, lines[0] as string, {
      type: NDJSON,
      query,
      caller: home.owner,
    });
    expect(over.last ?? over.body).toMatchObject({ error: 'CollectionFull' });
    expect((await written(app, collection))[0]).toBe(400);
  });

  it('far from its limit, takes back what deletes return as fast as they can return it', async () => {
    const collection = await limited(1_000_000);
    await add(app, collection);
    // As many as the deletes while a lease is used.
    await app.sql(
      `INSERT INTO ${schemaOf(collection)}.quota_returns (collection_id, id, records)
       SELECT $1, gen_random_uuid(), 0 FROM generate_series(1, 10000)`,
      [collection.id],
    );
    for (const count of [5_000, 5_000]) expect((await addMany(app, collection, count)).status).toBe(201);
    await expect.poll(async () => (await quotaOf(collection)).returns).toBe(0);
  });

  it('is returned by a delete at once, on any instance, without counting records', async () => {
    const collection = await limited(2_000);
    await addMany(app, collection, 1_999);
    let id: string = (await add(app, collection)).body.ids[0];
    expect(outcome(await add(second, collection))).toEqual([422, 'CollectionFull']);
    const { generation } = await quotaOf(collection);
    const stats = async () => {
      const [row] = await app.sql(
        `SELECT n_tup_ins::int AS added, n_tup_del::int AS removed, seq_tup_read + coalesce(idx_tup_fetch, 0) AS read
         FROM pg_stat_user_tables WHERE schemaname || '.' || relname = $1`,
        [collection.table],
      );
      return { ...row, read: Number(row.read) };
    };
    await expect.poll(async () => (await stats()).added).toBe(2_000);
    const before = await stats();
    for (let n = 0; n < 200; n++) {
      const [one, other] = n % 2 === 0 ? [app, second] : [second, app];
      expect((await remove(one, collection, id)).status).toBe(200);
      const answer = await add(other, collection);
      expect(answer.status).toBe(200);
      id = answer.body.ids[0];
    }
    // A connection reports its reads together with its writes.
    await expect.poll(stats).toMatchObject({ added: 2_200, removed: 200 });
    expect((await stats()).read - before.read).toBeLessThan(2_000);
    const after = await quotaOf(collection);
    expect(after).toMatchObject({ generation, leases: 0 });
    expect(after.used - after.returns).toBe(2_000);
    expect(after.returns).toBeLessThan(10);
    expect(outcome(await add(app, collection))).toEqual([422, 'CollectionFull']);
  });

  it('costs an insert near the limit one round trip', async () => {
    const collection = await limited(10);
    const ids: string[] = (await add(app, collection, empty(9))).body.ids;
    const inserts = async () => {
      for (let n = 0; n < 5; n++) {
        expect((await add(app, collection)).status).toBe(200);
        expect((await remove(app, collection, ids[n] as string)).status).toBe(200);
      }
    };
    const trips = await roundTrips(app, inserts);
    expect(trips).toBeGreaterThanOrEqual(10);
    // The instance requests a lease again at most once a second.
    expect(trips).toBeLessThan(15);
  });

  it('recovers the capacity that a killed instance held, and capacity that was lost', async () => {
    const collection = await limited(100, UNIQUE);
    await add(app, collection, { k: 0 });
    await app.sql(
      `UPDATE ${schemaOf(collection)}.record_quotas SET used = used + 60 WHERE collection_id = $1`,
      [collection.id],
    );
    await app.sql(
      `INSERT INTO ${schemaOf(collection)}.quota_leases VALUES ($1, gen_random_uuid(), now() - interval '1 s')`,
      [collection.id],
    );
    const records = Array.from({ length: 99 }, (_, n) => ({ k: n + 1 }));
    expect((await add(second, collection, records)).status).toBe(200);
    expect(outcome(await add(app, collection, { k: 100 }))).toEqual([422, 'CollectionFull']);
    expect(await quotaOf(collection)).toMatchObject({ used: 100, leases: 0 });
  });

  it('is exact when inserts, deletes and a count run at the same time', async () => {
    const collection = await limited(150);
    const clients = Array.from({ length: 8 }, async (_, client) => {
      const instance = client % 2 === 0 ? app : second;
      for (let n = 0; n < 30; n++) {
        const answer = await add(instance, collection, empty(1 + (n % 7)));
        if (answer.status === 200 && n % 3 === 0)
          for (const id of answer.body.ids) await remove(instance, collection, id);
      }
    });
    const lost = Array.from({ length: 5 }, async (_, n) => {
      await new Promise(resolve => setTimeout(resolve, 150 * n));
      await app.sql(
        `INSERT INTO ${schemaOf(collection)}.quota_leases VALUES ($1, gen_random_uuid(), now() - interval '1 s')`,
        [collection.id],
      );
    });
    const most = await mostWhile(collection, Promise.all([...clients, ...lost]));
    expect(most).toBeLessThanOrEqual(150);
    while ((await add(app, collection)).status === 200);
    expect((await written(app, collection))[0]).toBe(150);
  });

  it('is freed of expired records when an insert does not fit, with their event', async () => {
    const collection = await limited(40, { settings: { max_records: 40, ttl_days: 1 } });
    await add(app, collection, empty(40));
    expect(outcome(await add(second, collection))).toEqual([422, 'CollectionFull']);
    await app.sql(`UPDATE ${collection.table} SET expires_at = now() - interval '1 second'`);
    const answers = await Promise.all(empty(50).map((_, n) => add(n % 2 === 0 ? app : second, collection)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(40);
    expect((await written(app, collection))[0]).toBe(40);
    const expired = (await eventsOf(app, collection)).filter(({ type }) => type.endsWith('.expired'));
    expect(expired.reduce((sum, { count }) => sum + (count ?? 0), 0)).toBe(40);
  });

  it('is exact for bulk upserts, which use capacity for new records only', async () => {
    const collection = await limited(60, UNIQUE);
    await add(app, collection, { k: -1 });
    const upsert = (instance: TestApp, from: number, count: number) =>
      instance.request('POST', `${collection.data}/bulk`, {
        ...home.owner,
        body: { upsert_key: 'k', records: Array.from({ length: count }, (_, n) => ({ k: from + n })) },
      });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => upsert(n % 2 === 0 ? app : second, 10 * n, 10)),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(5).fill(201), ...Array(7).fill(422)]);
    const [rows] = await written(app, collection);
    expect(rows).toBe(51);
    const known = answers.findIndex(({ status }) => status === 201);
    expect((await upsert(app, 10 * known, 10)).status).toBe(201);
    expect((await upsert(app, 1_000, 9)).status).toBe(201);
    expect(outcome(await upsert(second, 2_000, 1))).toEqual([422, 'CollectionFull']);
  });
});
