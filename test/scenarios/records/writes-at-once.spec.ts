import { DataSource, type QueryRunner } from 'typeorm';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp, type TestResponse } from '../../harness/app.js';
import {
  eventsOf,
  type Home,
  insert,
  newHome,
  newTypedCollection,
  outcome,
  search,
  type TestCollection,
} from '../../harness/collection.js';
import { databaseUse } from '../../harness/round-trips.js';
import { newRetryKey, observed } from '../idempotency/retry.js';
import { importFile, NDJSON } from '../transfer/transfer.js';

const UNIQUE = { uniques: [{ properties: ['title'] }] };

describe('concurrent writes of the same records', () => {
  let app: TestApp;
  let home: Home;
  let other: QueryRunner;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    other = app.nest.get(DataSource).createQueryRunner();
  });
  afterEach(async () => {
    if (other.isTransactionActive) await other.rollbackTransaction();
    await other.release();
    other = app.nest.get(DataSource).createQueryRunner();
  });

  /** Resolves when so many statements wait for a lock that `other` holds. */
  const waited = async (count = 1) => {
    const [{ pid }] = await other.query('SELECT pg_backend_pid() AS pid');
    const isWaiting = async () =>
      (await app.sql('SELECT FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))', [pid])).length >=
      count;
    await expect.poll(isWaiting, { timeout: 10_000, interval: 10 }).toBe(true);
  };
  const send = ({ path, owner }: TestCollection, method: string, rest: string, body: object) =>
    app.request(method, `${path}${rest}`, { ...owner, body });

  const sent = [{ title: 'a' }, { title: 'z' }].map(record => ({ ...record, year: 2000 }));
  const lines = sent.map(record => JSON.stringify(record)).join('\n');
  const upserting = { type: NDJSON, query: { mode: 'upsert', upsert_key: 'title' } };
  it.each<[string, (collection: TestCollection) => Promise<{ status: number }>]>([
    ['a bulk upsert', it => send(it, 'POST', '/data/bulk', { records: sent, upsert_key: 'title' })],
    ['an import', it => importFile(app, it, lines, upserting)],
    [
      'an update by filter',
      it => send(it, 'PATCH', '/data', { filter: { year: { $gt: 0 } }, update: { year: 2000 } }),
    ],
    [
      'an update under locks',
      it => send(it, 'PATCH', '/data', { filter: { year: { $gt: 0 } }, update: { $inc: { loans: 1 } } }),
    ],
  ])(
    '%s locks records in the order of ids, like all writes, so that no deadlock occurs',
    async (_, write) => {
      const collection = await newTypedCollection(app, home, UNIQUE);
      const [first, second] = await insert(
        app,
        collection,
        { title: 'z', year: 1999 },
        { title: 'a', year: 1999 },
      );
      // Neither its key nor its position in the table makes the first record come first.
      await send(collection, 'PATCH', `/data/${first}`, { year: 1998 });
      const lock = (id: string | undefined) =>
        `SELECT _id FROM ${collection.table} WHERE _id = '${id}' FOR UPDATE SKIP LOCKED`;
      await other.startTransaction();
      expect(await other.query(lock(first))).toHaveLength(1);
      const answer = write(collection);
      await waited();
      expect(await other.query(lock(second))).toHaveLength(1);
      await other.commitTransaction();
      expect((await answer).status).toBeLessThan(300);
      const events = (await eventsOf(app, collection)).slice(3);
      expect(events).toMatchObject([{ count: 2, record_ids: expect.arrayContaining([first, second]) }]);
    },
  );

  it('files with the same new values in any order are imported without a conflict', async () => {
    const collection = await newTypedCollection(app, home, UNIQUE);
    const titles = Array.from({ length: 2_400 }, (_, n) => `t${n}`);
    const turned = (by: number) => [...titles.slice(by), ...titles.slice(0, by)];
    const files = [turned(0), turned(600).reverse(), turned(1_200), turned(1_800).reverse()];
    const query = { mode: 'append', on_error: 'skip' };
    const answers = await Promise.all(
      files.map(file =>
        importFile(app, collection, file.map(title => JSON.stringify({ title })).join('\n'), {
          type: NDJSON,
          query,
        }),
      ),
    );
    expect(answers.map(({ last }) => last.ok)).toEqual([true, true, true, true]);
    expect(answers.reduce((sum, { last }) => sum + last.inserted, 0)).toBe(titles.length);
    const [{ rows }] = await app.sql(`SELECT count(*)::int AS rows FROM ${collection.table}`);
    expect(rows).toBe(titles.length);
  });

  it('an insert that waits for the key of another does not delay those in its batch', async () => {
    const collection = await newTypedCollection(app, home, UNIQUE);
    const [held] = await insert(app, collection, { title: 'held' });
    const post = (title: string) => send(collection, 'POST', '/data', { records: [{ title }] });
    await other.startTransaction();
    await other.query(`DELETE FROM ${collection.table} WHERE _id = '${held}'`);
    const first = [post('held'), post('held')];
    await waited();
    const titles = Array.from({ length: 12 }, (_, n) => (n === 6 ? 'held' : `free ${n}`));
    const answers = titles.map(post);
    const free = await Promise.all(answers.filter((_, n) => n !== 6));
    expect(free.map(({ status }) => status)).toEqual(free.map(() => 200));
    await other.rollbackTransaction();
    const refused = await Promise.all([...first, answers[6]]);
    expect(refused.map(each => each?.status)).toEqual([409, 409, 409]);
    expect(await eventsOf(app, collection)).toHaveLength(1 + 1 + free.length);
  });

  it('inserts whose key or value is taken are left out of a shared statement, and no other is written alone', async () => {
    const collection = await newTypedCollection(app, home, UNIQUE);
    const [held] = await insert(app, collection, { title: 'held' }, { title: 'taken' });
    const post = (title: string, key: string) =>
      app.request('POST', collection.data, {
        ...collection.owner,
        body: { records: [{ title }] },
        headers: { 'idempotency-key': key },
      });
    const titles = ['done', 'taken', 'one', 'other', ...Array.from({ length: 20 }, (_, n) => `free ${n}`)];
    const keys = titles.map(() => newRetryKey());
    keys[3] = keys[2] as string;
    const first = await post('done', keys[0] as string);
    await other.startTransaction();
    await other.query(`DELETE FROM ${collection.table} WHERE _id = '${held}'`);
    const running: Promise<TestResponse>[] = [];
    for (const count of [1, 2]) {
      running.push(post('held', newRetryKey()));
      await waited(count);
    }
    let answers: TestResponse[] = [];
    const { pooled } = await databaseUse(app, async () => {
      answers = await Promise.all(titles.map((title, n) => post(title, keys[n] as string)));
    });
    await other.rollbackTransaction();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([409, 409]);
    // Some statements of many, one for each insert that was left out, and the look-ups of their answers.
    expect(pooled).toBeLessThan(titles.length);
    const [again, taken, one, another, ...free] = answers.map(observed);
    expect(again).toEqual([200, first.text, 'true']);
    expect(taken?.[0]).toBe(409);
    expect([one?.[0], another?.[0]].sort()).toEqual([200, 422]);
    expect(free.map(([status]) => status)).toEqual(free.map(() => 200));
    expect(observed(await post('free 7', keys[11] as string))).toEqual([200, free[7]?.[1], 'true']);
    expect(outcome(await post('taken', keys[1] as string))).toEqual([409, 'AlreadyExists']);
    const rows = 2 + 1 + 1 + free.length;
    expect((await search(app, collection, { limit: 100 })).records).toHaveLength(rows);
    expect(await eventsOf(app, collection)).toHaveLength(1 + rows - 1);
  });

  it('a key that gets a response while a shared statement waits is left to its own request', async () => {
    const [collection, elsewhere] = [
      await newTypedCollection(app, home),
      await newTypedCollection(app, home),
    ];
    await insert(app, collection, { title: 'first' });
    const post = ({ data, owner }: TestCollection, title: string, key = newRetryKey()) =>
      app.request('POST', data, {
        ...owner,
        body: { records: [{ title }] },
        headers: { 'idempotency-key': key },
      });
    await other.startTransaction();
    await other.query(`SELECT pg_advisory_xact_lock(hashtextextended('${collection.id}', 1))`);
    const answers: Promise<TestResponse>[] = [];
    for (const count of [1, 2]) {
      answers.push(post(collection, `alone ${count}`));
      await waited(count);
    }
    const key = newRetryKey();
    answers.push(post(collection, 'repeated', key), ...['a', 'b', 'c'].map(title => post(collection, title)));
    await waited(3);
    expect((await post(elsewhere, 'meanwhile', key)).status).toBe(200);
    await other.commitTransaction();
    const outcomes = (await Promise.all(answers)).map(({ status }) => status);
    expect(outcomes).toEqual([200, 200, 422, 200, 200, 200]);
    expect((await search(app, collection)).records).toHaveLength(6);
  });

  it('a count of records locks the table before other requests have to wait for the count', async () => {
    const collection = await newTypedCollection(app, home, { settings: { max_records: 3 } });
    const [id] = await insert(app, collection, { title: 'one' }, { title: 'two' }, { title: 'gone' });
    await app.request('DELETE', `${collection.data}/${id}`, collection.owner);
    await other.startTransaction();
    await other.query(`LOCK TABLE ${collection.table} IN ACCESS EXCLUSIVE MODE`);
    const answer = send(collection, 'POST', '/data', { records: [{ title: 'three' }] });
    await waited();
    const inserts = `SELECT pg_try_advisory_xact_lock_shared(hashtextextended('${collection.id}', 1)) AS free`;
    expect(await other.query(inserts)).toEqual([{ free: true }]);
    await other.commitTransaction();
    expect((await answer).status).toBe(200);
    expect((await search(app, collection)).records).toHaveLength(3);
  });
});
