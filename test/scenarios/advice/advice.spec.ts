import { beforeAll, describe, expect, it } from 'vitest';
import { Schedule } from '../../../src/app/jobs/schedule.js';
import type { TestApp } from '../../harness/app.js';
import { startOwnApp } from '../../harness/app.js';
import {
  type Caller,
  type Home,
  newCollection,
  newHome,
  outcome,
  search,
  type TestCollection,
} from '../../harness/collection.js';
import { startTwoInstances, type TwoInstances } from '../../harness/two-instances.js';
import { MovedClock } from '../auth/person.js';
import { newMember, newOrg } from '../orgs/org.js';
import { grant, withUser } from '../sharing/sharing.js';

const ROWS = 2_000;
const DAY_SECONDS = 86_400;
const PROPERTIES = {
  name: { type: 'text' },
  year: { type: 'integer' },
  shelf: { type: 'integer' },
};
const on = (...properties: string[]) => ({ properties });

/** A collection in which a read without an index reads many times what it returns. */
async function filled(app: TestApp, home: Home, wanted: object = {}): Promise<TestCollection> {
  const collection = await newCollection(app, home, { properties: PROPERTIES, ...wanted });
  for (let from = 0; from < ROWS; from += 1_000) {
    const records = Array.from({ length: 1_000 }, (_, n) => ({
      name: `name${from + n}`,
      year: (from + n) % 500,
      shelf: (from + n) % 200,
    }));
    const body = { records };
    const answer = await app.request('POST', `${collection.data}/bulk`, { ...home.owner, body });
    expect(outcome(answer)).toEqual([201, undefined]);
  }
  return collection;
}

/** Does what every instance does twice a minute. */
const write = ({ nest }: TestApp) => nest.get(Schedule, { strict: false }).writeSeenQueries();

const ask = (app: TestApp, { path, owner }: TestCollection, caller: Caller = owner) =>
  app.request('GET', `${path}/advice`, caller);

async function adviceOf(app: TestApp, collection: TestCollection) {
  const answer = await ask(app, collection);
  expect(outcome(answer)).toEqual([200, undefined]);
  return answer.body.items;
}

describe('GET /v1/collections/{collection_id}/advice', () => {
  let two: TwoInstances;
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    // Only some shapes are measured at a time, and other files send queries of many shapes to the shared app.
    two = await startTwoInstances(startOwnApp({ database: 'own' }));
    ({ app, home } = two);
    return async () => {
      await two.second.close();
      await app.close();
    };
  });

  it('shows the index that queries would have used, with the names of types instead of their values', async () => {
    const collection = await filled(app, home);
    await search(app, collection, { filter: { year: 7 }, sort: { name: -1 } });
    await search(app, collection, { filter: { year: 8 }, sort: { name: -1 } });
    expect(await adviceOf(app, collection)).toEqual([]);
    await write(app);
    const items = await adviceOf(app, collection);
    expect(items).toEqual([
      {
        index: on('year', 'name'),
        reason: 'missing',
        queries_seen: 2,
        avg_ms: expect.any(Number),
        sample: { filter: { year: 'integer' }, sort: { name: -1 } },
      },
    ]);
    expect(items[0].avg_ms).toBeGreaterThan(0);
  });

  it('counts queries after the measurement too, and adds those of all instances', async () => {
    const collection = await filled(app, home);
    for (const instance of [app, two.second]) {
      await search(instance, collection, { filter: { year: 7 } });
      await write(instance);
      await search(instance, collection, { filter: { year: 9 } });
      await search(instance, collection, { filter: { year: 11 } });
      await write(instance);
    }
    for (const instance of [app, two.second])
      expect(await adviceOf(instance, collection)).toMatchObject([{ index: on('year'), queries_seen: 6 }]);
  });

  it('counts GET queries, counts, distinct values and aggregations', async () => {
    const collection = await filled(app, home);
    const { data, owner } = collection;
    const filter = { shelf: 3 };
    const query = `filter=${encodeURIComponent(JSON.stringify(filter))}`;
    for (const path of [`?${query}`, `/count?${query}`, `/distinct?field=year&${query}`])
      expect(outcome(await app.request('GET', data + path, owner))).toEqual([200, undefined]);
    const body = { filter, steps: [{ type: 'count', output_field: 'n' }] };
    expect(outcome(await app.request('POST', `${data}/aggregate`, { ...owner, body }))).toEqual([
      200,
      undefined,
    ]);
    await write(app);
    expect(await adviceOf(app, collection)).toMatchObject([{ index: on('shelf'), queries_seen: 4 }]);
  });

  it('does not show queries that read what they return, single records, or explained queries', async () => {
    const collection = await filled(app, home);
    const { records } = await search(app, collection, { limit: 100 });
    await search(app, collection, { filter: { year: { $gte: 0 } }, limit: 100 });
    await app.request('GET', `${collection.data}/${records[0]._id}`, collection.owner);
    await app.request('POST', `${collection.data}/explain`, {
      ...collection.owner,
      body: { filter: { year: 7 } },
    });
    await write(app);
    expect(await adviceOf(app, collection)).toEqual([]);
  });

  it('shows one index for queries that the same index serves, and lists that of most time first', async () => {
    const collection = await filled(app, home);
    await search(app, collection, { filter: { shelf: 7 } });
    for (let year = 0; year < 20; year++) await search(app, collection, { filter: { year } });
    await search(app, collection, { filter: { year: 7 }, sort: { shelf: 1 } });
    await write(app);
    await app.sql('UPDATE seen_queries SET total_ms = 2 * queries WHERE collection_id = $1', [collection.id]);
    expect(await adviceOf(app, collection)).toMatchObject([
      {
        index: on('year', 'shelf'),
        queries_seen: 21,
        avg_ms: 2,
        sample: { filter: { year: 'integer' }, sort: null },
      },
      { index: on('shelf'), queries_seen: 1, avg_ms: 2 },
    ]);
  });

  it('shows an index as missing until it is built, and then as unused until a query uses it', async () => {
    const collection = await filled(app, home);
    const query = () => search(app, collection, { filter: { year: 7 } });
    await query();
    await write(app);
    const [{ index }] = await adviceOf(app, collection);
    const body = { indexes: [index] };
    await app.request('POST', `${collection.path}/indexes`, { ...home.owner, body });
    const unused = { index, reason: 'unused', queries_seen: 0, avg_ms: null, sample: null };
    expect(await adviceOf(app, collection)).toEqual([unused]);
    await query();
    await expect.poll(() => adviceOf(app, collection), { timeout: 20_000 }).toEqual([]);
    await write(app);
    expect(await adviceOf(app, collection)).toEqual([]);
  });

  it('never shows unique constraints as unused', async () => {
    const collection = await filled(app, home, { uniques: [on('name')] });
    expect(await adviceOf(app, collection)).toEqual([]);
  });

  it('stores no value of a query in any table', async () => {
    const collection = await filled(app, home);
    const [secret, hidden] = ['secretvalueofafilter', 918_273_645];
    await search(app, collection, { filter: { name: secret, year: hidden } });
    await search(app, collection, { filter: { name: { $in: [secret, 'b'] } }, sort: { year: 1 } });
    await search(app, collection, { filter: { name: { $regex: `^${secret}` } } });
    await search(app, collection, { filter: { $search: secret } });
    await write(app);
    expect((await adviceOf(app, collection)).length).toBeGreaterThan(0);
    const stored = await app.sql('SELECT s::text AS row FROM seen_queries s WHERE collection_id = $1', [
      collection.id,
    ]);
    expect(stored.length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify(stored)).toContain('integer');
    for (const value of [secret, String(hidden)]) expect(JSON.stringify(stored)).not.toContain(value);
  });

  it('is for admins of the collection only', async () => {
    const collection = await newCollection(app, home);
    const member = await newMember(app, home.org);
    const caller = { token: member.token };
    expect(outcome(await ask(app, collection, caller))).toEqual([404, 'CollectionNotFound']);
    for (const [role, expected] of [
      ['reader', [403, 'Forbidden']],
      ['editor', [403, 'Forbidden']],
      ['admin', [200, undefined]],
    ] as const) {
      await grant(app, collection, withUser(member), role);
      expect(outcome(await ask(app, collection, caller))).toEqual(expected);
    }
    const { owner } = await newOrg(app);
    expect(outcome(await ask(app, collection, { token: owner.token }))).toEqual([404, 'CollectionNotFound']);
    expect(outcome(await ask(app, collection, {}))).toEqual([401, 'Unauthorized']);
  });

  it('deletes what is known with the collection', async () => {
    const collection = await filled(app, home);
    await search(app, collection, { filter: { year: 7 } });
    await write(app);
    const rows = () => app.sql('SELECT FROM seen_queries WHERE collection_id = $1', [collection.id]);
    expect(await rows()).toHaveLength(1);
    await search(app, collection, { filter: { year: 7 } });
    await app.request('DELETE', `${collection.path}?permanent=true`, home.owner);
    await write(app);
    await app.nest.get(Schedule, { strict: false }).removeDeletedCollections();
    expect(await rows()).toEqual([]);
  });
});

it('forgets queries after 7 days', async () => {
  const clock = new MovedClock();
  const app = await startOwnApp({ database: 'own', clock });
  try {
    const collection = await filled(app, await newHome(app));
    await search(app, collection, { filter: { year: 7 } });
    await write(app);
    clock.move(6 * DAY_SECONDS);
    expect(await adviceOf(app, collection)).toHaveLength(1);
    clock.move(DAY_SECONDS);
    expect(await adviceOf(app, collection)).toEqual([]);
    expect(await app.sql('SELECT FROM seen_queries')).toHaveLength(1);
    await app.nest.get(Schedule, { strict: false }).removeSeenQueries();
    expect(await app.sql('SELECT FROM seen_queries')).toEqual([]);
  } finally {
    await app.close();
  }
});
