import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Home, newHome, type TestCollection } from '../../harness/collection.js';
import { succeed } from '../../harness/collection-requests.js';
import { now, pulled, typesAndValues } from '../changes/feed.js';
import { undone } from '../history/undo.js';
import { changeSchema, until } from './database.js';
import { change, cleaning, copying, largeCollection, whileHeld } from './large-collection.js';

describe('the history and the feed of a large collection whose schema changes', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  const recordWith = async (collection: TestCollection, n: number) =>
    (await succeed(app, collection, 'POST', '/data/query', { filter: { n } })).records[0];
  const set = (collection: TestCollection, id: string, fields: object) =>
    succeed(app, collection, 'PATCH', `/data/${id}`, fields);
  const versions = async (collection: TestCollection, id: string) =>
    (await succeed(app, collection, 'GET', `/data/${id}/history`)).items;
  const isReady = (collection: TestCollection) => async () =>
    (await succeed(app, collection, 'GET', '')).status === 'ready';

  /** Runs `work` at a moment of a change of the schema, which must succeed. */
  const whileChanging = async (
    collection: TestCollection,
    moment: typeof copying,
    properties: object,
    work: () => Promise<void>,
  ) => {
    const start = () => changeSchema(app, collection, properties);
    const answer = await whileHeld(app, collection, moment(app, collection), start, work);
    expect(answer.status).toBe(200);
  };

  it('have the values of the new column while records still have a copy of the field that it replaced', async () => {
    const collection = await largeCollection(app, home);
    const { _id: id } = await recordWith(collection, 2_999);
    const since = await now(app, collection);
    await whileChanging(collection, cleaning, { city: { type: 'text' } }, async () => {
      await set(collection, id, { city: 'blue' });
      await set(collection, id, { city: 'green' });
      const [{ event_id: last }, before] = await versions(collection, id);
      expect(before.record.city).toBe('blue');
      await undone(app, collection, { event_ids: [last] });
      expect(await recordWith(collection, 2_999)).toMatchObject({ city: 'blue' });
      await set(collection, id, { $unset: { city: '' } });
      await set(collection, id, { code: 'new' });
    });
    await until(isReady(collection));
    await set(collection, id, { city: 'red' });
    const cities = (await versions(collection, id)).map(
      ({ record }: { record: { city: unknown } }) => record.city,
    );
    expect(cities).toEqual(['red', null, null, 'blue', 'green', 'blue', 'city 2999']);
    const seen = typesAndValues(await pulled(app, collection, since), 'city');
    expect(seen.map(([, city]) => city)).toEqual(['blue', 'green', 'blue', null, null, 'red']);
  });

  it('have the new columns when the history is switched on during the change', async () => {
    const collection = await largeCollection(app, home, { settings: { history_days: 0 } });
    const { _id: id } = await recordWith(collection, 2_999);
    await whileChanging(
      collection,
      copying,
      { city: { type: 'text' }, code: { type: 'integer' } },
      async () => {
        await succeed(app, collection, 'PATCH', '', { settings: { history_days: 7 } });
        await set(collection, id, { code: '7' });
      },
    );
    await set(collection, id, { code: 8, city: 'green' });
    const shown = (await versions(collection, id)).map(({ record }: { record: object }) => record);
    expect(shown).toMatchObject([
      { code: 8, city: 'green' },
      { code: 7, city: 'city 2999' },
      { code: '2999', city: 'city 2999' },
    ]);
    await succeed(app, collection, 'DELETE', `/data/${id}`);
    expect((await versions(collection, id))[0]).toMatchObject({ operation: 'deleted', record: null });
  });

  it('have no versions when the history is switched off during the change', async () => {
    const collection = await largeCollection(app, home);
    const { _id: id } = await recordWith(collection, 2_999);
    await whileChanging(collection, copying, { code: { type: 'integer' } }, async () => {
      await succeed(app, collection, 'PATCH', '', { settings: { history_days: 0 } });
    });
    await set(collection, id, { code: 8 });
    expect(await versions(collection, id)).toHaveLength(1);
  });

  it('have the columns of the next change after one that was abandoned, whose columns had other types', async () => {
    const collection = await largeCollection(app, home);
    const { _id: id } = await recordWith(collection, 2_999);
    const start = () => change(app, collection, { city: { type: 'text' } });
    const abandoned = await whileHeld(app, collection, copying(app, collection), start, async () => {
      await set(collection, id, { city: 'blue' });
      await succeed(app, collection, 'DELETE', '/schema/change');
    });
    expect(abandoned.status).toBe(409);
    await until(isReady(collection));
    expect((await change(app, collection, { city: { type: 'json' } })).status).toBe(200);
    await set(collection, id, { city: { name: 'green' } });
    await set(collection, id, { city: null });
    const cities = (await versions(collection, id)).map(
      ({ record }: { record: { city: unknown } }) => record.city,
    );
    expect(cities).toEqual([null, { name: 'green' }, 'blue', 'city 2999']);
  });
});
