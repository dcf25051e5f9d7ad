import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  type Caller,
  EVERY_TYPE,
  eventsOf,
  expire,
  type Home,
  insert,
  newCollection,
  newHome,
  newTypedCollection,
  outcome,
  read,
  search,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { newMember } from '../orgs/org.js';
import { guest } from '../sharing/sharing.js';
import { batch, tagOf } from './batch.js';

describe('POST /v1/collections/{collection_id}/data/batch', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    books = await newTypedCollection(app, home, {
      properties: { ...EVERY_TYPE, name: { type: 'text', nullable: false } },
      indexes: [],
    });
  });
  const book = async (record: object = {}) =>
    (await insert(app, books, { name: 'book', ...record }))[0] as string;

  it('inserts, updates and deletes in one transaction, and answers in the order of the operations', async () => {
    const collection = await newTypedCollection(app, home);
    const [a, b, c, d] = (await insert(
      app,
      collection,
      { year: 1 },
      { year: 2 },
      { year: 3, shelf: 1 },
      { year: 4 },
    )) as [string, string, string, string];
    const { status, body, headers } = await batch(app, collection, [
      { update: { _id: c, update: { $inc: { year: 10 }, $push: { tags: 'new' }, $unset: { shelf: '' } } } },
      { insert: { title: 'Emma', shelf: 7 } },
      { delete: { _id: a } },
      { update: { _id: b.toUpperCase(), update: { title: 'Persuasion', 'notes.first': 'dry' } } },
      { update: { _id: d, update: { year: 4 } } },
      { insert: {} },
    ]);
    expect(status).toBe(200);
    const ids = body.results.map(({ _id }: { _id: string }) => _id);
    expect(body.results.map(({ operation }: { operation: string }) => operation)).toEqual([
      'updated',
      'inserted',
      'deleted',
      'updated',
      'updated',
      'inserted',
    ]);
    expect([ids[0], ids[2], ids[3], ids[4]]).toEqual([c, a, b, d]);
    expect(body.results[2]._etag).toBe(null);
    for (const { _id, operation, _etag } of body.results)
      if (operation !== 'deleted') expect(_etag).toBe(await tagOf(app, collection, _id));
    expect(await read(app, collection, c)).toMatchObject({ year: 13, tags: ['new'] });
    expect(await read(app, collection, c)).not.toHaveProperty('shelf');
    expect(await read(app, collection, b)).toMatchObject({
      year: 2,
      title: 'Persuasion',
      notes: { first: 'dry' },
    });
    expect(await read(app, collection, ids[1])).toMatchObject({ title: 'Emma', shelf: 7, year: null });
    expect((await search(app, collection)).records.map((each: { _id: string }) => each._id)).toEqual([
      b,
      c,
      d,
      ids[1],
      ids[5],
    ]);
    const event = (await eventsOf(app, collection)).at(-1);
    expect(event).toMatchObject({
      type: 'collections.records.written',
      target: { type: 'collection', id: collection.id, name: collection.name },
      count: 5,
      changes: { inserted: 2, updated: 2, deleted: 1 },
      correlation_id: headers.get('x-correlation-id'),
    });
    expect(new Set(event?.record_ids)).toEqual(new Set([a, b, c, ids[1], ids[5]]));
    const log = await app.request(
      'GET',
      `${collection.path}/audit?action=collections.records.written`,
      home.owner,
    );
    expect(log.body.items).toMatchObject([
      { id: body.event_id, changes: { before: null, after: null, inserted: 2, updated: 2, deleted: 1 } },
    ]);
  });

  it('changes nothing, and writes no event, where the records have all values already', async () => {
    const id = await book({ year: 3, price: 1.5, printed: '2026-01-31', tags: ['a'], x: { y: 1 } });
    const before = [await read(app, books, id), await tagOf(app, books, id), await written(app, books)];
    const update = { year: 3, price: 1.5, printed: '2026-01-31', tags: ['a'], x: { y: 1 }, gone: 1 };
    const { gone, ...same } = update;
    const unset = { $set: same, $unset: { gone: '' } };
    for (const each of [same, unset, {}, { $max: { year: 2 } }, { _etag: '"1"', _cut: ['x'] }]) {
      const { status, body } = await batch(app, books, [{ update: { _id: id, update: each } }]);
      expect([status, body]).toEqual([
        200,
        { results: [{ _id: id, operation: 'updated', _etag: before[1] }], event_id: null },
      ]);
    }
    expect([await read(app, books, id), await tagOf(app, books, id), await written(app, books)]).toEqual(
      before,
    );
  });

  it('ignores system fields of sent records', async () => {
    const id = await book();
    const system = { _id: randomUUID(), created_at: '2001-01-01T00:00:00Z', _etag: '"1"', _cut: ['name'] };
    const { body } = await batch(app, books, [
      { insert: { name: 'new', ...system } },
      { update: { _id: id, update: { year: 5, ...system } } },
    ]);
    for (const { _id } of body.results) {
      expect(_id).not.toBe(system._id);
      const record = await read(app, books, _id);
      expect(record.created_at > '2020').toBe(true);
      for (const name of ['_etag', '_cut']) expect(record).not.toHaveProperty(name);
    }
  });

  it('applies 1,000 operations, and keeps many kinds of updates apart', async () => {
    const collection = await newTypedCollection(app, home);
    const ids = await insert(app, collection, ...Array.from({ length: 400 }, (_, n) => ({ year: n, n })));
    const operations = [
      ...ids.map(
        (_id, n) =>
          [
            { update: { _id, update: { title: `t${n}` } } },
            { update: { _id, update: { $inc: { year: 1, n: 1 } } } },
            { update: { _id, update: { $set: { n: null }, $unset: { year: '' } } } },
            { delete: { _id } },
          ][n % 4],
      ),
      ...Array.from({ length: 600 }, (_, n) => ({ insert: { n: 1000 + n } })),
    ];
    const { status, body } = await batch(app, collection, operations);
    expect([status, body.results.length]).toEqual([200, 1_000]);
    expect((await eventsOf(app, collection)).at(-1)).toMatchObject({
      count: 1_000,
      changes: { inserted: 600, updated: 300, deleted: 100 },
    });
    expect(await read(app, collection, ids[4] as string)).toMatchObject({ title: 't4', year: 4, n: 4 });
    expect(await read(app, collection, ids[5] as string)).toMatchObject({ title: null, year: 6, n: 6 });
    expect(await read(app, collection, ids[6] as string)).toMatchObject({ year: null, n: null });
    expect(await read(app, collection, ids[7] as string)).toBe(undefined);
    expect((await app.request('GET', `${collection.data}/count`, home.owner)).body.count).toBe(900);
    const last = body.results.slice(400).map(({ _id }: { _id: string }) => _id);
    expect([...last].sort()).toEqual(last);
    expect(await read(app, collection, last[599])).toMatchObject({ n: 1599 });
  });

  it.each<[string, object, object, object]>([
    ['$rename', { n: 1, year: 5 }, { $rename: { n: 'm', year: 'y' } }, { m: 1, y: 5, year: null }],
    ['$pull with a filter', { list: [1, 5, 9] }, { $pull: { list: { $gte: 5 } } }, { list: [1] }],
    [
      '$addToSet and $pop',
      { tags: ['a', 'b'], list: [1, 2] },
      { $addToSet: { tags: 'c' }, $pop: { list: -1 } },
      { tags: ['a', 'b', 'c'], list: [2] },
    ],
    [
      '$min, $max and $mul',
      { year: 5, price: 2 },
      { $min: { year: 3 }, $max: { n: 4 }, $mul: { price: 3 } },
      { year: 3, n: 4, price: 6 },
    ],
    [
      'dotted paths',
      { details: { a: { b: 1 } }, list: [{ c: 1 }] },
      { 'details.a.b': 2, 'list.0.c': 3 },
      { details: { a: { b: 2 } }, list: [{ c: 3 }] },
    ],
  ])('applies %s as an update of one record does', async (_, record, update, after) => {
    const [one, other] = [await book(record), await book(record)];
    expect((await batch(app, books, [{ update: { _id: one, update } }])).status).toBe(200);
    await app.request('PATCH', `${books.data}/${other}`, { ...home.owner, body: update });
    const [changed, same] = [await read(app, books, one), await read(app, books, other)];
    expect(changed).toMatchObject(after);
    for (const each of [changed, same])
      for (const name of ['_id', 'created_at', 'updated_at']) delete each[name];
    expect(changed).toEqual(same);
  });

  it('sets $currentDate in the form of its column', async () => {
    const id = await book();
    const update = { $currentDate: { printed: true, read_at: true, at: true } };
    expect((await batch(app, books, [{ update: { _id: id, update } }])).status).toBe(200);
    const { printed, read_at, at } = await read(app, books, id);
    expect(printed).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect([read_at, at].every(each => Math.abs(Date.parse(each) - Date.now()) < 60_000)).toBe(true);
  });

  it('changes a record of many megabytes, and several that are longer than the rows of one read', async () => {
    const long = 'x'.repeat(5_000_000);
    const ids = [await book({ long, list: [] }), await book({ list: [], more: 'y'.repeat(20_000) })];
    const push = { $push: { list: 1 } };
    const many = await insert(
      app,
      books,
      ...Array.from({ length: 500 }, () => ({ name: 'b', more: `${Math.random()}`.repeat(600), list: [] })),
    );
    const all = [...ids, ...many];
    const { status } = await batch(
      app,
      books,
      all.map(_id => ({ update: { _id, update: push } })),
    );
    expect(status).toBe(200);
    for (const id of [...ids, many[0], many[499]])
      expect((await read(app, books, id as string)).list).toEqual([1]);
    expect((await read(app, books, ids[0] as string)).long).toBe(long);
  }, 60_000);

  describe('with if_match', () => {
    it('applies to the version that was read', async () => {
      const [one, other] = [await book({ year: 1 }), await book()];
      const tags = [await tagOf(app, books, one), await tagOf(app, books, other)];
      const { status, body } = await batch(app, books, [
        { update: { _id: one, if_match: tags[0], update: { year: 2 } } },
        { delete: { _id: other, if_match: `"x", ${tags[1]}` } },
      ]);
      expect(status).toBe(200);
      const again = await batch(app, books, [
        { update: { _id: one, if_match: body.results[0]._etag, update: { $inc: { year: 1 } } } },
      ]);
      expect(again.status).toBe(200);
      expect((await read(app, books, one)).year).toBe(3);
      expect((await batch(app, books, [{ delete: { _id: one, if_match: '*' } }])).status).toBe(200);
    });

    it('answers 409 BatchConflict with every record that is gone or has changed, and writes nothing', async () => {
      const collection = await newTypedCollection(app, home);
      const [a, b, c, d] = (await insert(
        app,
        collection,
        { year: 1 },
        { year: 2 },
        { year: 3 },
        { year: 4 },
      )) as [string, string, string, string];
      const tag = await tagOf(app, collection, a);
      await app.request('PATCH', `${collection.data}/${a}`, { ...home.owner, body: { year: 9 } });
      await expire(app, collection, c);
      const stranger = randomUUID();
      const before = [await search(app, collection), await written(app, collection)];
      const answer = await batch(app, collection, [
        { insert: { year: 5 } },
        { update: { _id: a, if_match: tag, update: { year: 6 } } },
        { update: { _id: b, update: { year: 6 } } },
        { delete: { _id: stranger } },
        { delete: { _id: c } },
        { delete: { _id: d, if_match: `W/${await tagOf(app, collection, d)}` } },
      ]);
      expect(outcome(answer)).toEqual([409, 'BatchConflict']);
      expect(answer.body.details).toEqual([
        { index: 1, _id: a, reason: 'changed' },
        { index: 3, _id: stranger, reason: 'gone' },
        { index: 4, _id: c, reason: 'gone' },
        { index: 5, _id: d, reason: 'changed' },
      ]);
      expect(answer.body.message).toContain('operations.1');
      expect([await search(app, collection), await written(app, collection)]).toEqual(before);
    });
  });

  describe('is refused', () => {
    const ID = '00000000-0000-7000-8000-000000000000';
    it.each<[string, unknown, string]>([
      ['no operations', undefined, 'operations: '],
      ['an object', {}, 'operations: '],
      ['an empty list', [], '1 to 1000'],
      ['1,001 operations', Array.from({ length: 1_001 }, () => ({ insert: {} })), '1 to 1000'],
      ['an operation that is null', [null], 'operations.0'],
      ['an operation without a kind', [{ insert: {} }, {}], 'operations.1'],
      ['two kinds in one operation', [{ insert: {}, delete: { _id: ID } }], 'operations.0'],
      ['an unknown kind', [{ upsert: {} }], 'operations.0'],
      ['a name that every object has', [{ constructor: {} }], 'operations.0'],
      ['an inserted list', [{ insert: [] }], 'operations.0.insert'],
      [
        'an insert with a field that no record has',
        [{ insert: { name: 'a', 'a.b': 1 } }],
        'operations.0.insert',
      ],
      ['an update without an id', [{ update: { update: {} } }], 'operations.0.update._id'],
      ['an id that is not a uuid', [{ delete: { _id: '7' } }], 'operations.0.delete._id'],
      ['an update without an update', [{ update: { _id: ID } }], 'operations.0.update.update'],
      ['an unknown operator', [{ update: { _id: ID, update: { $where: '1' } } }], '$where'],
      [
        'fields beside operators',
        [{ update: { _id: ID, update: { $set: {}, a: 1 } } }],
        'operations.0.update.update',
      ],
      ['an unknown property', [{ delete: { _id: ID, filter: {} } }], 'operations.0.delete.filter'],
      [
        'an if_match without quotes',
        [{ delete: { _id: ID, if_match: '7' } }],
        'operations.0.delete.if_match',
      ],
      [
        'an if_match that is a number',
        [{ delete: { _id: ID, if_match: 7 } }],
        'operations.0.delete.if_match',
      ],
      ['an if_match in an insert is a field; a list is none', [{ update: [] }], 'operations.0.update'],
      [
        'a record that two operations name',
        [{ update: { _id: ID, update: {} } }, { insert: {} }, { delete: { _id: ID.toUpperCase() } }],
        'operations.2.delete._id: operations.0',
      ],
    ])('with 400: %s', async (_, operations, says) => {
      const before = await written(app, books);
      const answer = await batch(app, books, operations);
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
      expect(answer.body.message).toContain(says);
      expect(await written(app, books)).toEqual(before);
    });

    it('with 400: an unknown property of the body, and a dry_run that is no flag', async () => {
      expect(outcome(await batch(app, books, [{ insert: {} }], { ttl_days: 1 }))).toEqual([
        400,
        'InvalidArguments',
      ]);
      expect(outcome(await batch(app, books, [{ insert: {} }], { dry_run: 'yes' }))).toEqual([
        400,
        'InvalidArguments',
      ]);
    });

    it('with 422 and every value that does not fit its column, by the index of its operation', async () => {
      const id = await book({ text: 'x', list: {} });
      const before = [await read(app, books, id), await written(app, books)];
      const answer = await batch(app, books, [
        { insert: { name: 'fits' } },
        { insert: { name: 'a', year: '7', lent: 1 } },
        { insert: { year: 1 } },
        { update: { _id: id, update: { year: 1.5, name: null } } },
        { update: { _id: randomUUID(), update: { $unset: { name: '' }, $inc: { title: 1 } } } },
      ]);
      expect(outcome(answer)).toEqual([422, 'BatchRejected']);
      expect(
        answer.body.details.map(({ row, column }: { row: number; column: string }) => [row, column]),
      ).toEqual([
        [1, 'year'],
        [1, 'lent'],
        [2, 'name'],
        [3, 'year'],
        [3, 'name'],
        [4, 'name'],
        [4, 'title'],
      ]);
      expect(answer.body.message).toContain('operations.1');
      expect([await read(app, books, id), await written(app, books)]).toEqual(before);
    });

    it('with 422 where an operator does not fit the value of its record', async () => {
      const [one, other] = [await book({ n: 'x' }), await book({ n: 1 })];
      const count = await written(app, books);
      const answer = await batch(app, books, [
        { update: { _id: other, update: { $inc: { n: 1 } } } },
        { update: { _id: one, update: { $inc: { n: 1 } } } },
      ]);
      expect(outcome(answer)).toEqual([422, 'BatchRejected']);
      expect(answer.body.details).toEqual([
        { row: 1, column: 'n', problem: expect.stringContaining('$inc') },
      ]);
      expect((await read(app, books, other)).n).toBe(1);
      expect(await written(app, books)).toEqual(count);
    });

    it('with 422 where a record would be larger than 16 MiB, by one update that sets a field', async () => {
      const half = 'x'.repeat(9_000_000);
      const id = await book({ a: half });
      const answer = await batch(app, books, [{ update: { _id: id, update: { b: half } } }]);
      expect(outcome(answer)).toEqual([422, 'BatchRejected']);
      expect(answer.body.message).toContain('16 MiB');
      expect(await read(app, books, id)).not.toHaveProperty('b');
    }, 60_000);

    it('with 413 where updates depend on records that are too long together', async () => {
      const long = 'x'.repeat(9_000_000);
      const ids = [await book({ long }), await book({ long }), await book({ long }), await book({ long })];
      const updates = (update: object) => ids.map(_id => ({ update: { _id, update } }));
      const answer = await batch(app, books, updates({ $inc: { n: 1 } }));
      expect(outcome(answer)).toEqual([413, 'PayloadTooLarge']);
      // Updates that only set fields do not read their records.
      expect((await batch(app, books, updates({ n: 1 }))).status).toBe(200);
    }, 60_000);

    it('to readers and strangers, as every write is', async () => {
      const operations = [{ insert: { name: 'a' } }];
      const as = (caller: Caller, sent: unknown = operations) => batch(app, books, sent, {}, caller);
      const reader = await guest(app, home.org, books, 'reader');
      expect((await as(reader)).status).toBe(403);
      expect((await as(await newMember(app, home.org), 'nothing')).status).toBe(404);
      expect((await as({})).status).toBe(401);
      const editor = await guest(app, home.org, books, 'editor');
      expect((await as(editor, [{ delete: { _id: await book() } }])).status).toBe(200);
    });
  });

  describe('as a dry run', () => {
    it('answers what would happen, and writes nothing', async () => {
      const id = await book({ year: 1 });
      const other = await book();
      const before = [await read(app, books, id), await tagOf(app, books, id), await written(app, books)];
      const operations = [
        { update: { _id: id, update: { $inc: { year: 1 } } } },
        { insert: { name: 'new' } },
        { delete: { _id: other } },
      ];
      const { status, body } = await batch(app, books, operations, { dry_run: true });
      expect([status, body]).toEqual([
        200,
        {
          results: [
            { _id: id, operation: 'updated', _etag: null },
            { _id: expect.any(String), operation: 'inserted', _etag: null },
            { _id: other, operation: 'deleted', _etag: null },
          ],
          event_id: null,
          dry_run: true,
        },
      ]);
      expect([await read(app, books, id), await tagOf(app, books, id), await written(app, books)]).toEqual(
        before,
      );
    });

    it('is refused as the batch would be', async () => {
      const full = await newCollection(app, home, { settings: { max_records: 1 }, uniques: [] });
      const dry = (operations: object[], collection = books) =>
        batch(app, collection, operations, { dry_run: true });
      expect(outcome(await dry([{ delete: { _id: randomUUID() } }]))).toEqual([409, 'BatchConflict']);
      expect(outcome(await dry([{ insert: {} }]))).toEqual([422, 'BatchRejected']);
      expect(outcome(await dry([{ insert: {} }, { insert: {} }], full))).toEqual([422, 'CollectionFull']);
      expect((await dry([{ insert: {} }], full)).status).toBe(200);
    });
  });

  it('counts inserts less deletes for max_records', async () => {
    const collection = await newCollection(app, home, { settings: { max_records: 3 } });
    const [a, b, c] = (await insert(app, collection, { n: 1 }, { n: 2 }, { n: 3 })) as [
      string,
      string,
      string,
    ];
    const exchanged = await batch(app, collection, [
      { insert: { n: 4 } },
      { insert: { n: 5 } },
      { delete: { _id: a } },
      { delete: { _id: b } },
    ]);
    expect(exchanged.status).toBe(200);
    const refused = await batch(app, collection, [{ insert: {} }, { insert: {} }, { delete: { _id: c } }]);
    expect(outcome(refused)).toEqual([422, 'CollectionFull']);
    expect((await batch(app, collection, [{ delete: { _id: c } }])).status).toBe(200);
    expect(outcome(await batch(app, collection, [{ insert: {} }, { insert: {} }]))).toEqual([
      422,
      'CollectionFull',
    ]);
    expect((await batch(app, collection, [{ insert: {} }])).status).toBe(200);
    expect(outcome(await batch(app, collection, [{ insert: {} }]))).toEqual([422, 'CollectionFull']);
  });

  it('makes room for new records by removing expired ones', async () => {
    const collection = await newCollection(app, home, { settings: { max_records: 2 } });
    const ids = await insert(app, collection, { n: 1 }, { n: 2 });
    await expire(app, collection, ...ids);
    expect((await batch(app, collection, [{ insert: {} }, { insert: {} }])).status).toBe(200);
  });

  it('gives new records the lifetime of the collection, and keeps that of others', async () => {
    const collection = await newCollection(app, home, { settings: { ttl_days: 1 } });
    const [id] = (await insert(app, collection, { n: 1 })) as [string];
    const expiries = () => app.sql(`SELECT _id, expires_at FROM ${collection.table} ORDER BY _id`);
    const [{ expires_at: before }] = await expiries();
    await batch(app, collection, [{ insert: {} }, { update: { _id: id, update: { n: 2 } } }]);
    const [first, second] = await expiries();
    expect(first.expires_at).toEqual(before);
    expect(second.expires_at.getTime()).toBeGreaterThan(Date.now());
  });

  it('follows a schema that has changed since the collection was loaded', async () => {
    const collection = await newCollection(app, home, { properties: { n: { type: 'integer' } } });
    const [id] = (await insert(app, collection, { n: 1 })) as [string];
    await app.sql('UPDATE collections SET version = version + 1 WHERE id = $1', [collection.id]);
    const { status } = await batch(app, collection, [
      { update: { _id: id, update: { n: 2 } } },
      { insert: { n: 3 } },
    ]);
    expect(status).toBe(200);
    expect((await search(app, collection)).records.map(({ n }: { n: number }) => n)).toEqual([2, 3]);
  });
});
