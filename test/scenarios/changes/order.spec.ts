import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { type Home, insert, newCollection, newHome } from '../../harness/collection.js';
import { newKey } from '../orgs/org.js';
import { ask, follow, now, pulled, type SeenChange, typesAndValues, until } from './feed.js';

let one: TestApp;
let two: TestApp;
let home: Home;
beforeAll(async () => {
  const environment = { ALLOW_BULK_DELETE: 'true' };
  [one, two] = await Promise.all([startOwnApp({ environment }), startOwnApp()]);
  const { org } = await newHome(one);
  home = { org, owner: { key: (await newKey(one, org)).apiKey } };
});
afterAll(() => Promise.all([one.close(), two.close()]));

/** Opens a separate transaction. */
async function transaction(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: one.settings.DATABASE_URL });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('BEGIN');
  return client;
}

const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

describe('the feed of changes', () => {
  it('waits for a change that is committed late, and then returns all changes in order', async () => {
    const collection = await newCollection(one, home);
    const since = await now(one, collection);
    const stream = await follow(two, collection, { since });
    await insert(one, collection, { n: 1 });
    await until(() => stream.changes().length === 1);
    const late = await transaction();
    await late.query(
      `INSERT INTO ${collection.table} (_id, created_at, updated_at, x) VALUES (gen_random_uuid(), now(), now(), '{"n": 2}')`,
    );
    await insert(one, collection, { n: 3 });
    await insert(two, collection, { n: 4 });
    const [before] = [await pulled(one, collection, since)];
    expect(typesAndValues(before, 'n')).toEqual([['inserted', 1]]);
    const middle = (await ask(one, collection, { since })).body.next_since;
    await late.query('COMMIT');
    expect(typesAndValues(await pulled(two, collection, middle), 'n').sort()).toEqual([
      ['inserted', 2],
      ['inserted', 3],
      ['inserted', 4],
    ]);
    await until(() => stream.changes().length === 4);
    expect(
      stream
        .changes()
        .map(({ record }) => record.n)
        .sort(),
    ).toEqual([1, 2, 3, 4]);
    stream.close();
  });

  it('omits the changes of a transaction that is rolled back, and no longer waits for it', async () => {
    const collection = await newCollection(one, home);
    const since = await now(one, collection);
    const late = await transaction();
    await late.query(
      `INSERT INTO ${collection.table} (_id, created_at, updated_at, x) VALUES (gen_random_uuid(), now(), now(), '{"n": 1}')`,
    );
    await insert(one, collection, { n: 2 });
    expect(await pulled(one, collection, since)).toEqual([]);
    await late.query('ROLLBACK');
    expect(typesAndValues(await pulled(one, collection, since), 'n')).toEqual([['inserted', 2]]);
  });
});

it('lists deletions by filter one by one, in the order of ids', async () => {
  const collection = await newCollection(one, home);
  const ids = await insert(one, collection, { n: 1 }, { n: 2 }, { n: 3 });
  const since = await now(one, collection);
  const body = { filter: { n: { $gte: 2 } } };
  const { status } = await one.request('POST', `${collection.data}/delete`, { ...home.owner, body });
  expect(status).toBe(200);
  const changes = await pulled(one, collection, since);
  expect(typesAndValues(changes, 'n')).toEqual([
    ['deleted', 2],
    ['deleted', 3],
  ]);
  expect(changes.map(({ record_id }) => record_id)).toEqual(ids.slice(1));
});

it('does not wait for a transaction that writes other collections, however long it runs', async () => {
  const [collection, elsewhere] = [await newCollection(one, home), await newCollection(one, home)];
  const since = await now(one, collection);
  await now(one, elsewhere);
  const long = await transaction();
  await long.query(
    `INSERT INTO ${elsewhere.table} (_id, created_at, updated_at) VALUES (gen_random_uuid(), now(), now())`,
  );
  await insert(one, collection, { n: 1 });
  expect(typesAndValues(await pulled(one, collection, since), 'n')).toEqual([['inserted', 1]]);
});

it('lists the changes of a record in the order in which they were made, whichever transaction began first', async () => {
  const collection = await newCollection(one, home);
  const ids = await insert(one, collection, { n: 0 }, { n: 0 }, { n: 0 });
  const since = await now(one, collection);
  const update = (n: number, at: number) =>
    [`UPDATE ${collection.table} SET x = jsonb_build_object('n', $2::int) WHERE _id = $1`, [ids[at], n]] as [
      string,
      unknown[],
    ];
  // The first transaction is the oldest and writes the record last. A transaction of another record runs between
  // them.
  const [first, between] = [await transaction(), await transaction()];
  await first.query(...update(10, 0));
  await between.query(...update(20, 1));
  await one.sql(...update(1, 2));
  await first.query(...update(2, 2));
  await first.query('COMMIT');
  const seen = await pulled(one, collection, since);
  await between.query('COMMIT');
  const all = [
    ...seen,
    ...(await pulled(one, collection, (await ask(one, collection, { since })).body.next_since)),
  ];
  const complete = await pulled(one, collection, since);
  expect(complete.filter(({ record_id }) => record_id === ids[2]).map(({ record }) => record.n)).toEqual([
    1, 2,
  ]);
  expect(complete).toHaveLength(4);
  expect(all.length).toBeLessThanOrEqual(complete.length);
});

it('returns each change once to readers that reconnect, with writers on two instances', async () => {
  const collection = await newCollection(one, home, {
    properties: { w: { type: 'integer' }, n: { type: 'integer' } },
  });
  const since = await now(one, collection);
  const apps = [one, two];
  const at = (n: number) => apps[n % 2] as TestApp;
  const counters = await insert(one, collection, ...Array.from({ length: 4 }, (_, w) => ({ w, n: 0 })));
  const all = 4 + 4 * 25 + 6 + 4 * 25 * 2;
  let writing = true;

  /** Inserts records, and increments a record of its own, sometimes in a transaction that commits late. */
  const writer = async (w: number) => {
    for (let n = 1; n <= 25; n++) {
      await insert(at(n + w), collection, { w, n });
      const body = {
        filter: { _id: { $in: [counters[w], counters[(w + 1) % 4]] } },
        update: { $inc: { n: 1 } },
      };
      await at(n).request('PATCH', collection.data, { ...home.owner, body });
    }
  };
  const straggler = async () => {
    const late = await transaction();
    for (let n = 1; n <= 6; n++) {
      await late.query(
        `INSERT INTO ${collection.table} (_id, created_at, updated_at, c1, c2) VALUES (gen_random_uuid(), now(), now(), 9, $1)`,
        [n],
      );
      await wait(60);
      await late.query('COMMIT');
      await late.query('BEGIN');
    }
    await late.query('COMMIT');
  };

  /** Reads for a moment, disconnects, and continues on another instance. */
  const streaming = async (): Promise<SeenChange[]> => {
    const seen: SeenChange[] = [];
    let position: string | undefined;
    for (let turn = 0; ; turn++) {
      const last = !writing;
      const from = position === undefined ? {} : { lastEventId: position };
      const stream = await follow(at(turn), collection, { since }, from);
      if (last) await until(() => seen.length + stream.changes().length >= all, 'the last change');
      else await wait(40 + ((turn * 37) % 160));
      stream.close();
      seen.push(...stream.changes());
      position = stream.lastId() ?? position;
      if (last) return seen;
    }
  };
  const pulling = async (): Promise<SeenChange[]> => {
    const seen: SeenChange[] = [];
    for (let from = since, turn = 0; ; turn++) {
      const last = !writing;
      const { body } = await ask(at(turn), collection, { since: from, limit: 7 });
      seen.push(...body.changes);
      from = body.next_since;
      if (last && !body.has_more) return seen;
    }
  };

  const readers = [streaming(), streaming(), pulling()];
  await Promise.all([writer(0), writer(1), writer(2), writer(3), straggler()]);
  writing = false;
  const whole = await pulled(one, collection, since);
  expect(whole.filter(({ type }) => type === 'inserted')).toHaveLength(4 + 4 * 25 + 6);
  expect(whole.filter(({ type }) => type === 'updated')).toHaveLength(4 * 25 * 2);
  for (const counter of counters) {
    const counts = whole.filter(({ record_id }) => record_id === counter).map(({ record }) => record.n);
    expect(counts).toEqual(Array.from({ length: 51 }, (_, n) => n));
  }
  for (const seen of await Promise.all(readers))
    expect(seen.map(({ id }) => id)).toEqual(whole.map(({ id }) => id));
});
