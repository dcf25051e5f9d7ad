import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  expire,
  type Home,
  insert,
  newCollection,
  newHome,
  outcome,
  read,
  search,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { now, pulled } from '../changes/feed.js';
import { batch, tagOf } from './batch.js';

let app: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
});

const update = (_id: string | undefined, fields: object) => ({ update: { _id, update: fields } });
const values = async (collection: TestCollection, name: string) =>
  (await search(app, collection)).records.map((record: Record<string, unknown>) => record[name]);

describe('the unique values of a batch count after all of its operations', () => {
  const TYPES: [string, boolean, unknown, unknown][] = [
    ['text', true, 'a', 'b'],
    ['text', false, 'a', 'b'],
    ['integer', false, 1, 9007199254740991],
    ['double', false, 0.5, -1e308],
    ['date', false, '2026-01-31', '0001-01-01'],
    ['datetime', false, '2026-01-31T09:30:00.250Z', '9999-12-31T23:59:59.999Z'],
    ['json', false, { a: [1] }, 'text'],
    ['array', false, ['a'], []],
  ];
  it.each(TYPES)('exchanges values of the type %s (nullable: %s)', async (type, nullable, one, other) => {
    const collection = await newCollection(app, home, {
      properties: { key: { type, nullable } },
      uniques: [{ properties: ['key'] }],
    });
    const [a, b] = await insert(app, collection, { key: one }, { key: other });
    const { status, text } = await batch(app, collection, [
      update(a, { key: other, n: 1 }),
      update(b, { $set: { key: one }, $inc: { n: 2 } }),
    ]);
    expect([status, status === 200 ? '' : text]).toEqual([200, '']);
    expect(await read(app, collection, a as string)).toMatchObject({ key: other, n: 1 });
    expect(await read(app, collection, b as string)).toMatchObject({ key: one, n: 2 });
  });

  it('moves a whole row of places by one, and follows the entity tags', async () => {
    const collection = await newCollection(app, home, {
      properties: { place: { type: 'integer', nullable: false } },
      uniques: [{ properties: ['place'] }],
    });
    const places = Array.from({ length: 200 }, (_, place) => ({ place }));
    const ids = await insert(app, collection, ...places);
    const { status, body } = await batch(
      app,
      collection,
      ids.map((id, n) => update(id, { place: (n + 1) % 200 })),
    );
    expect(status).toBe(200);
    expect(await values(collection, 'place')).toEqual(places.slice(0, 20).map(({ place }) => place + 1));
    expect(body.results[7]._etag).toBe(await tagOf(app, collection, ids[7] as string));
  });

  it('lets a new or changed record take the value of a record that is deleted or changed', async () => {
    const collection = await newCollection(app, home, {
      properties: { key: { type: 'text' } },
      uniques: [{ properties: ['key'] }],
    });
    const [a, b, c] = await insert(app, collection, { key: 'a' }, { key: 'b' }, { key: 'c' });
    const { status } = await batch(app, collection, [
      { insert: { key: 'b' } },
      update(c, { key: 'a' }),
      update(b, { key: 'd' }),
      { insert: { key: 'c' } },
      { delete: { _id: a } },
    ]);
    expect(status).toBe(200);
    expect(await values(collection, 'key')).toEqual(['d', 'a', 'b', 'c']);
  });

  it('keeps the columns of a unique over several columns that an update does not name', async () => {
    const collection = await newCollection(app, home, {
      properties: {
        shelf: { type: 'integer', nullable: true },
        place: { type: 'integer', nullable: false },
        at: { type: 'datetime' },
      },
      uniques: [{ properties: ['shelf', 'place', 'at'] }, { properties: ['place'] }],
    });
    const at = '2026-01-31T09:30:00.250Z';
    const [a, b] = await insert(app, collection, { shelf: 1, place: 1, at }, { shelf: 1, place: 2, at });
    expect((await batch(app, collection, [update(a, { place: 2 }), update(b, { place: 1 })])).status).toBe(
      200,
    );
    expect(await read(app, collection, a as string)).toMatchObject({ shelf: 1, place: 2, at });
    expect(await read(app, collection, b as string)).toMatchObject({ shelf: 1, place: 1, at });
  });

  it('shows followers one change for each record, and no value in between', async () => {
    const collection = await newCollection(app, home, {
      properties: { key: { type: 'text', nullable: false } },
      uniques: [{ properties: ['key'] }],
    });
    const [a, b, c] = await insert(app, collection, { key: 'a' }, { key: 'b' }, { key: 'c' });
    const since = await now(app, collection);
    await batch(app, collection, [
      update(a, { key: 'b' }),
      { delete: { _id: c } },
      update(b, { key: 'a' }),
      { insert: { key: 'c' } },
    ]);
    const changes = await pulled(app, collection, since);
    const told = changes.map(({ type, record_id, record }) => [type, record_id, record.key]);
    const added = changes.find(({ type }) => type === 'inserted')?.record_id;
    expect(told.sort()).toEqual(
      [
        ['deleted', c, 'c'],
        ['inserted', added, 'c'],
        ['updated', a, 'b'],
        ['updated', b, 'a'],
      ].sort(),
    );
  });

  it('removes an expired record whose value a batch takes', async () => {
    const collection = await newCollection(app, home, {
      properties: { key: { type: 'text' } },
      uniques: [{ properties: ['key'] }],
    });
    const [a, b] = await insert(app, collection, { key: 'a' }, { key: 'b' });
    await expire(app, collection, a as string);
    expect((await batch(app, collection, [update(b, { key: 'a' })])).status).toBe(200);
  });
});

describe('a batch that would repeat a unique value is refused with 422 and the operations', () => {
  it.each<[string, (ids: readonly string[]) => unknown[], number[]]>([
    [
      'of a record outside of the batch',
      ids => [{ insert: { key: 'new' } }, { insert: { key: 'a' } }, update(ids[1], { key: 'c' })],
      [1, 2],
    ],
    [
      'of another operation',
      ids => [{ insert: { key: 'x' } }, update(ids[0], { key: 'y' }), update(ids[1], { key: 'x' })],
      [0],
    ],
    [
      'that a record of the batch keeps',
      ids => [update(ids[0], { n: 'x' }), update(ids[1], { key: 'a' })],
      [1],
    ],
    ['that a later operation keeps', ids => [update(ids[1], { key: 'a' }), update(ids[0], { n: 'x' })], [0]],
    [
      'of a record outside of the batch, and of another operation',
      () => [{ insert: { key: 'a' } }, { insert: { key: 'x' } }, { insert: { key: 'x' } }],
      [0, 2],
    ],
    ['by an operator', ids => [update(ids[0], { $rename: { n: 'key' } }), update(ids[1], { key: 'z' })], [0]],
  ])('%s', async (_, operations, rows) => {
    const collection = await newCollection(app, home, {
      properties: { key: { type: 'text' }, n: { type: 'text' } },
      uniques: [{ properties: ['key'] }],
    });
    const ids = await insert(app, collection, { key: 'a', n: 'c' }, { key: 'b' }, { key: 'c' });
    const before = [await search(app, collection), await written(app, collection)];
    const answer = await batch(app, collection, operations(ids));
    expect(outcome(answer)).toEqual([422, 'ConstraintViolation']);
    const told = answer.body.details.map(
      ({ row, column, properties }: { row: number; column: string; properties: string[] }) => [
        row,
        column,
        properties,
      ],
    );
    expect(told).toEqual(rows.map(row => [row, 'key', ['key']]));
    expect([await search(app, collection), await written(app, collection)]).toEqual(before);
  });
});
