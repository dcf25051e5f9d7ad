import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { IndexBuilds } from '../../../src/features/collections/schema/index-builds.service.js';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import {
  eventsOf,
  type Home,
  insert,
  newHome,
  newTypedCollection,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { during, indexesOf, until } from './database.js';

const on = (...properties: string[]) => ({ properties });

describe('an interrupted index build', () => {
  let app: TestApp;
  let home: Home;
  let second: TestApp | undefined;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });
  afterEach(async () => {
    await second?.close();
    second = undefined;
  });

  const get = async ({ path, owner }: TestCollection) => (await app.request('GET', path, owner)).body;
  const apply = ({ path, owner }: TestCollection, body: unknown) =>
    app.request('POST', `${path}/indexes`, { ...owner, body });
  const restart = async () => {
    second = await startOwnApp({ database: { url: app.settings.DATABASE_URL as string } });
  };
  const isReady = (collection: TestCollection) => async () => (await get(collection)).status === 'ready';

  /** The collection as left by an instance that is killed while it builds the last of the indexes. */
  const killed = async (collection: TestCollection, wanted: { indexes: object[]; uniques: object[] }) => {
    await app.sql(
      `UPDATE collections SET status = 'building', indexes = $2, uniques = $3, version = version + 1 WHERE id = $1`,
      [collection.id, JSON.stringify(wanted.indexes), JSON.stringify(wanted.uniques)],
    );
    await app.sql(
      `UPDATE pg_index SET indisvalid = false WHERE indexrelid = (
         SELECT max(c.oid) FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid WHERE i.indrelid = $1::regclass)`,
      [collection.table],
    );
  };

  it('is completed by the next start, with its event', async () => {
    const collection = await newTypedCollection(app, home, { indexes: [on('year'), on('price')] });
    await insert(app, collection, { title: 'Emma' });
    const wanted = { indexes: [on('price')], uniques: [on('title')] };
    await killed(collection, wanted);
    await restart();
    await until(isReady(collection));
    expect(await get(collection)).toMatchObject(wanted);
    expect(await indexesOf(app, collection)).toEqual(['index(c3,_id)', 'unique(c1)']);
    const event = (await eventsOf(app, collection)).at(-1);
    expect(event).toMatchObject({
      type: 'collections.indexes.applied',
      actor: { id: 'platform', via: 'job' },
      changes: { after: wanted },
    });
  });

  it('is reverted by the next start if records violate a unique; complete indexes stay', async () => {
    const collection = await newTypedCollection(app, home, { uniques: [on('title')], indexes: [on('year')] });
    await insert(app, collection, { title: 'Emma', lent: true }, { title: 'Persuasion', lent: true });
    await app.sql(`CREATE UNIQUE INDEX CONCURRENTLY ON ${collection.table} (c2)`);
    await killed(collection, { indexes: [], uniques: [on('lent')] });
    await restart();
    await until(isReady(collection));
    expect(await get(collection)).toMatchObject({ indexes: [on('year')], uniques: [on('title')] });
    expect(await indexesOf(app, collection)).toEqual(['index(c2,_id)', 'unique(c1)']);
    expect((await eventsOf(app, collection)).map(({ type }) => type)).not.toContain(
      'collections.indexes.applied',
    );
  });

  it('is not touched while the instance that builds is running', async () => {
    const collection = await newTypedCollection(app, home);
    const builds = await during(app, `LOCK TABLE ${collection.table} IN ROW EXCLUSIVE MODE`, async () => {
      const build = apply(collection, { indexes: [on('year')] });
      await until(async () => !(await isReady(collection)()));
      await restart();
      expect(await second?.nest.get(IndexBuilds).finishAbandoned()).toEqual({ finished: 0, removed: 0 });
      expect((await get(collection)).status).toBe('building');
      return [build];
    });
    expect((await builds[0])?.status).toBe(200);
    expect(
      (await eventsOf(app, collection)).filter(({ type }) => type.startsWith('collections.indexes')),
    ).toHaveLength(1);
  });

  it('returns 503 if its connection is lost, and is completed by the job', async () => {
    const collection = await newTypedCollection(app, home);
    const builds = await during(app, `LOCK TABLE ${collection.table} IN ROW EXCLUSIVE MODE`, async () => {
      const build = apply(collection, { indexes: [on('year')] });
      const kill = () =>
        app.sql(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONCURRENTLY%'`,
        );
      await until(async () => (await kill()).length > 0);
      return [build];
    });
    expect(outcome((await builds[0]) as never)).toEqual([503, 'Unavailable']);
    expect(await get(collection)).toMatchObject({ status: 'building', indexes: [on('year')] });
    expect(await app.nest.get(IndexBuilds).finishAbandoned()).toEqual({ finished: 1, removed: 0 });
    expect(await get(collection)).toMatchObject({ status: 'ready', indexes: [on('year')] });
    expect(await indexesOf(app, collection)).toEqual(['index(c2,_id)']);
  });
});
