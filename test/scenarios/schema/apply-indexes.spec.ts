import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  eventsOf,
  expire,
  type Home,
  insert,
  newHome,
  newTypedCollection,
  outcome,
  search,
  type TestCollection,
} from '../../harness/collection.js';
import { during, indexesOf, until } from './database.js';

const on = (...properties: string[]) => ({ properties });

describe('POST /v1/collections/{collection_id}/indexes', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  const apply = ({ path, owner }: TestCollection, body: unknown) =>
    app.request('POST', `${path}/indexes`, { ...owner, body });
  const get = async ({ path, owner }: TestCollection) => (await app.request('GET', path, owner)).body;
  const write = ({ data, owner }: TestCollection, records: unknown) =>
    app.request('POST', data, { ...owner, body: { records } });
  const writersGoOnIn = ({ table }: TestCollection) => `LOCK TABLE ${table} IN ROW EXCLUSIVE MODE`;
  const isBuilding = async (collection: TestCollection) => (await get(collection)).status === 'building';

  it('replaces the existing set with the sent one, and enforces its uniques', async () => {
    const collection = await newTypedCollection(app, home, { indexes: [on('year')], uniques: [on('title')] });
    await insert(app, collection, { title: 'Emma', year: 1 });
    const wanted = {
      indexes: [on('price', 'year'), on('tags'), on('details')],
      uniques: [on('year'), on('title', 'lent')],
    };
    const answer = await apply(collection, wanted);
    expect([answer.status, answer.body]).toEqual([
      200,
      { applied: true, collection_id: collection.id, ...wanted },
    ]);
    expect(await get(collection)).toMatchObject({ ...wanted, status: 'ready' });
    expect(await indexesOf(app, collection)).toEqual([
      "index(COALESCE(c7, 'null'::jsonb))",
      "index(COALESCE(c8, 'null'::jsonb))",
      'index(c3,c2,_id)',
      'unique(c1,c4)',
      'unique(c2)',
    ]);
    expect(outcome(await write(collection, { year: 1 }))).toEqual([409, 'AlreadyExists']);
    expect((await write(collection, { title: 'Emma', year: 2 })).status).toBe(200);
  });

  it('treats an absent list as empty, and a set in another order as the new one', async () => {
    const collection = await newTypedCollection(app, home, {
      indexes: [on('year'), on('price')],
      uniques: [on('title')],
    });
    expect((await apply(collection, { indexes: [on('price'), on('year')] })).body).toMatchObject({
      indexes: [on('price'), on('year')],
      uniques: [],
    });
    await insert(app, collection, { title: 'Emma' }, { title: 'Emma' });
    expect(await indexesOf(app, collection)).toEqual(['index(c2,_id)', 'index(c3,_id)']);
    expect((await apply(collection, { indexes: [] })).status).toBe(200);
    expect(await indexesOf(app, collection)).toEqual([]);
  });

  it('leaves one event with the sets before and after, and none if nothing changes', async () => {
    const collection = await newTypedCollection(app, home, { uniques: [on('title')] });
    const answer = await apply(collection, { indexes: [on('year')], uniques: [on('title')] });
    await apply(collection, { indexes: [on('year')], uniques: [on('title')] });
    const [, event, ...more] = await eventsOf(app, collection);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'collections.indexes.applied',
      target: { type: 'collection', id: collection.id, name: collection.name },
      correlation_id: answer.headers.get('x-correlation-id'),
      changes: {
        before: { indexes: [], uniques: [on('title')] },
        after: { indexes: [on('year')], uniques: [on('title')] },
      },
    });
  });

  it('refuses a unique that records violate, shows their values, and restores the previous set', async () => {
    const former = { indexes: [on('year')], uniques: [on('price')] };
    const collection = await newTypedCollection(app, home, former);
    const ids = await insert(
      app,
      collection,
      ...[1, 2, 3].map(price => ({ title: 'Emma', printed: '1815-12-23', price })),
      { title: null, printed: null },
      { title: null },
      { title: 'Persuasion' },
    );
    const before = await get(collection);
    const answer = await apply(collection, {
      indexes: [on('title')],
      uniques: [on('year'), on('title', 'printed')],
    });
    expect(outcome(answer)).toEqual([422, 'ConstraintViolation']);
    expect(answer.body.details).toEqual([
      {
        properties: ['title', 'printed'],
        values: { title: 'Emma', printed: '1815-12-23' },
        count: 3,
        ids: ids.slice(0, 3),
      },
    ]);
    expect(await get(collection)).toEqual(before);
    expect(await indexesOf(app, collection)).toEqual(['index(c2,_id)', 'unique(c3)']);
    expect((await eventsOf(app, collection)).map(({ type }) => type)).not.toContain(
      'collections.indexes.applied',
    );
    expect(outcome(await write(collection, { price: 1 }))).toEqual([409, 'AlreadyExists']);
  });

  it('refuses an index if a value is too long for it, and names its record', async () => {
    const collection = await newTypedCollection(app, home);
    const long = { title: randomBytes(4_000).toString('base64') };
    const [, id] = await insert(app, collection, { title: 'x'.repeat(2_500) }, long);
    for (const set of [{ indexes: [on('title')] }, { uniques: [on('title')] }]) {
      const answer = await apply(collection, set);
      expect(outcome(answer)).toEqual([422, 'ConstraintViolation']);
      expect(answer.body.details).toEqual([{ _id: id, properties: ['title'], bytes: expect.any(Number) }]);
      expect(answer.body.message).toContain(`in record ${id}, title must be shorter`);
    }
    expect(await get(collection)).toMatchObject({ status: 'ready', indexes: [], uniques: [] });
    expect(await indexesOf(app, collection)).toEqual([]);
    expect((await apply(collection, { indexes: [on('year')] })).status).toBe(200);
    expect(outcome(await write(collection, long))).toEqual([200, undefined]);
  });

  it('ignores expired records when it checks a unique', async () => {
    const collection = await newTypedCollection(app, home);
    const [gone] = await insert(app, collection, { title: 'Emma' }, { title: 'Emma' });
    await expire(app, collection, gone as string);
    expect((await apply(collection, { uniques: [on('title')] })).status).toBe(200);
    expect((await eventsOf(app, collection)).map(({ type }) => type).slice(-2)).toEqual([
      'collections.records.expired',
      'collections.indexes.applied',
    ]);
  });

  it('reports building during the build, does not block readers and writers, and refuses a second change with 409', async () => {
    const collection = await newTypedCollection(app, home, { uniques: [on('title'), on('year', 'lent')] });
    await insert(app, collection, { title: 'Emma', year: 1, lent: true });
    const build = await during(app, writersGoOnIn(collection), async () => {
      const build = apply(collection, { indexes: [on('year')], uniques: [on('price')] });
      await until(() => isBuilding(collection));
      expect(await get(collection)).toMatchObject({ indexes: [on('year')], uniques: [on('price')] });
      expect(outcome(await apply(collection, { indexes: [] }))).toEqual([409, 'Conflict']);
      const schema = await app.request('PATCH', `${collection.path}/schema`, {
        ...collection.owner,
        body: { properties: { isbn: { type: 'text' } } },
      });
      expect(outcome(schema)).toEqual([409, 'Conflict']);
      expect((await write(collection, { title: 'Persuasion' })).status).toBe(200);
      expect((await search(app, collection)).count).toBe(2);
      // Uniques to be dropped are enforced until they are dropped; violations are reported as usual.
      const leaving = await write(collection, { year: 1, lent: true });
      expect([...outcome(leaving), leaving.body.details]).toEqual([
        409,
        'AlreadyExists',
        { properties: ['year', 'lent'] },
      ]);
      return [build];
    });
    expect((await build[0])?.status).toBe(200);
    expect(await indexesOf(app, collection)).toEqual(['index(c2,_id)', 'unique(c3)']);
    expect((await write(collection, { title: 'Emma', year: 1, lent: true })).status).toBe(200);
  });

  it('ends either with an enforced unique or without one, while writers insert duplicates', async () => {
    for (let round = 0; round < 4; round++) {
      const collection = await newTypedCollection(app, home);
      await insert(
        app,
        collection,
        ...Array.from({ length: 500 }, (_, year) => ({ year: 1_000_000 + year })),
      );
      const writers = Array.from({ length: 24 }, (_, at) => write(collection, { year: at % 8 }));
      const [answer, ...writes] = await Promise.all([
        apply(collection, { uniques: [on('year')] }),
        ...writers,
      ]);
      expect(writes.map(({ status }) => status).filter(status => status !== 200 && status !== 409)).toEqual(
        [],
      );
      const written = writes.filter(({ status }) => status === 200).length;
      const [{ rows, years }] = await app.sql(
        `SELECT count(*)::int AS rows, count(DISTINCT c2)::int AS years FROM ${collection.table}`,
      );
      expect(rows).toBe(500 + written);
      expect([200, 422]).toContain(answer.status);
      expect(await get(collection)).toMatchObject({
        status: 'ready',
        uniques: answer.status === 200 ? [on('year')] : [],
      });
      expect(await indexesOf(app, collection)).toEqual(answer.status === 200 ? ['unique(c2)'] : []);
      if (answer.status === 200) expect(years).toBe(rows);
    }
  });

  it('shows in a dry run what it would build and drop, and changes nothing', async () => {
    const former = { indexes: [on('year')], uniques: [on('title')] };
    const collection = await newTypedCollection(app, home, former);
    await insert(app, collection, { lent: true }, { lent: true });
    const before = [await get(collection), await eventsOf(app, collection), await indexesOf(app, collection)];
    const wanted = { indexes: [on('price')], uniques: [on('title'), on('year')] };
    const answer = await apply(collection, { ...wanted, dry_run: true });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        applied: false,
        dry_run: true,
        collection_id: collection.id,
        ...wanted,
        created: { indexes: [on('price')], uniques: [on('year')] },
        dropped: { indexes: [on('year')], uniques: [] },
      },
    ]);
    const refused = await apply(collection, { uniques: [on('lent')], dry_run: true });
    expect(outcome(refused)).toEqual([422, 'ConstraintViolation']);
    expect([
      await get(collection),
      await eventsOf(app, collection),
      await indexesOf(app, collection),
    ]).toEqual(before);
  });

  it.each([
    [{}, 'indexes'],
    [{ indexes: {} }, 'indexes'],
    [{ indexes: [{ properties: [] }] }, 'indexes.0.properties'],
    [{ indexes: [on('shelf')] }, 'indexes.0.properties'],
    [{ uniques: [on('title', 'title')] }, 'uniques.0.properties'],
    [{ uniques: [on('title'), on('title')] }, 'uniques'],
    [{ uniques: [{ properties: ['title'], name: 'x' }] }, 'uniques.0.name'],
    [{ indexes: Array.from({ length: 33 }, () => on('title')) }, 'indexes'],
    [{ indexes: [], columns: {} }, 'columns'],
  ])('refuses the body %j with a message that names %s', async (body, named) => {
    const collection = await newTypedCollection(app, home);
    const answer = await apply(collection, body);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(named);
  });
});
