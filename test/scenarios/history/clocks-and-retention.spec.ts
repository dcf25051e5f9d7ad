import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Clock } from '../../../src/base/kernel/clock.js';
import { VersionPruning } from '../../../src/features/history/version-pruning.service.js';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import {
  type Caller,
  insert,
  newCollection,
  newHome,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { query, send, succeed } from '../../harness/collection-requests.js';
import { onCitus } from '../../harness/on-citus.js';
import { versionsOf } from '../../harness/tables.js';
import { newKey } from '../orgs/org.js';

/** The clock of an instance that has measured the database's clock with an error. */
class WrongClock extends Clock {
  constructor(private readonly aheadMs: number) {
    super();
  }

  now(): Date {
    return new Date(Date.now() + this.aheadMs);
  }
}

interface Version {
  readonly valid_from: string;
  readonly record: { readonly n: number };
}

let app: TestApp;
let owner: Caller;
let collectionOn: (instance: TestApp) => Promise<TestCollection>;
beforeAll(async () => {
  app = await startApp();
  const { org } = await newHome(app);
  owner = { key: (await newKey(app, org)).apiKey };
  collectionOn = instance =>
    newCollection(instance, { org, owner }, { properties: { n: { type: 'integer' } } });
});

describe('two instances whose clocks disagree', () => {
  const instances: TestApp[] = [];
  beforeAll(async () => {
    const database = { url: app.settings.DATABASE_URL as string };
    for (const ahead of [300, -300])
      instances.push(await startOwnApp({ database, clock: new WrongClock(ahead) }));
  });
  afterAll(() => Promise.all(instances.map(each => each.close())));

  it('write versions in order, and each reads the past at the time of every one of them', async () => {
    const [ahead, behind] = instances as [TestApp, TestApp];
    const collection = await collectionOn(ahead);
    const [id] = await insert(behind, collection, { n: 0 });
    for (let n = 1; n <= 6; n++)
      await succeed(n % 2 === 0 ? ahead : behind, collection, 'PATCH', `/data/${id}`, { $set: { n } });
    for (const instance of instances) {
      const { items } = await succeed(instance, collection, 'GET', `/data/${id}/history`);
      expect(items.map(({ record }: Version) => record.n)).toEqual([6, 5, 4, 3, 2, 1, 0]);
      for (const { valid_from, record } of items as Version[]) {
        const then = await succeed(
          instance,
          collection,
          'GET',
          `/data/${id}?${query({ as_of: valid_from })}`,
        );
        expect(then.record).toEqual(record);
      }
    }
  });
});

describe('somebody who pages through history while its retention ends', () => {
  /** Moves the versions of a collection and the beginning of its history into the past. */
  async function age({ id, orgId }: TestCollection, days: number) {
    const moved = (instant: string) => `${instant} = ${instant} - $1 * interval '1 day'`;
    await app.sql(`UPDATE ${versionsOf(orgId, id)} SET ${moved('valid_from')}, ${moved('valid_to')}`, [days]);
    const collection = `UPDATE collections SET version = version + 1, ${moved('history_since')} WHERE id = $2`;
    await app.sql(collection, [days, id]);
  }
  const prune = () => app.nest.get(VersionPruning).removeOld(new AbortController().signal);

  it.skipIf(onCitus.refusesUpdatesByHand)('gets the versions that are left, and then the end', async () => {
    const collection = await collectionOn(app);
    const [id] = await insert(app, collection, { n: 0 });
    for (let n = 1; n <= 6; n++) await succeed(app, collection, 'PATCH', `/data/${id}`, { $set: { n } });
    const page = (cursor: string) =>
      succeed(app, collection, 'GET', `/data/${id}/history?${query({ limit: 3, cursor })}`);
    const first = await page('');
    expect(first.items.map(({ record }: Version) => record.n)).toEqual([6, 5, 4]);
    await age(collection, 8);
    await prune();
    expect(await page(first.next_cursor)).toEqual({ items: [], next_cursor: null });
    expect((await page('')).items.map(({ record }: Version) => record.n)).toEqual([6]);
  });

  it('in pages of the past, is told where the history begins now', async () => {
    const collection = await collectionOn(app);
    await insert(app, collection, { n: 1 }, { n: 2 }, { n: 3 });
    const as_of = new Date().toISOString();
    const page = (cursor: string) =>
      send(app, collection, 'GET', `/data?${query({ limit: 1, cursor, as_of })}`);
    const first = await page('');
    expect(first.body.records).toHaveLength(1);
    const since = new Date(Date.parse(as_of) + 1);
    await app.sql('UPDATE collections SET history_since = $2, version = version + 1 WHERE id = $1', [
      collection.id,
      since,
    ]);
    const second = await page(first.body.next_cursor);
    expect(outcome(second)).toEqual([400, 'HistoryUnavailable']);
    expect(second.body.details).toEqual({ earliest: since.toISOString() });
  });

  it.skipIf(onCitus.refusesUpdatesByHand)('still gets the versions whose time has just ended', async () => {
    const collection = await collectionOn(app);
    const [id] = await insert(app, collection, { n: 0 });
    await succeed(app, collection, 'PATCH', `/data/${id}`, { $set: { n: 1 } });
    await age(collection, 7);
    await prune();
    expect((await succeed(app, collection, 'GET', `/data/${id}/history`)).items).toHaveLength(2);
  });
});
