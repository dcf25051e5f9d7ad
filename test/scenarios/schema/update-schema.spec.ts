import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  EMMA,
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
} from '../../harness/collection.js';
import { during } from './database.js';

describe('PATCH /v1/collections/{collection_id}/schema', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  const patch = ({ path, owner }: TestCollection, properties: unknown, more: object = {}) =>
    app.request('PATCH', `${path}/schema`, { ...owner, body: { properties, ...more } });
  const get = async ({ path, owner }: TestCollection) => (await app.request('GET', path, owner)).body;
  const flexible = async ({ table }: TestCollection) =>
    (await app.sql(`SELECT x FROM ${table} ORDER BY _id`)).map(row => row.x);

  it('merges columns into the schema and keeps indexes and uniques', async () => {
    const sets = { indexes: [{ properties: ['year'] }], uniques: [{ properties: ['title'] }] };
    const collection = await newTypedCollection(app, home, sets);
    const answer = await patch(collection, { isbn: { type: 'text' }, year: { nullable: true } });
    const before = await get(collection);
    expect([answer.status, answer.body]).toEqual([
      200,
      { collection_id: collection.id, schema: before.schema, ...sets },
    ]);
    expect(Object.keys(answer.body.schema)).toEqual([...Object.keys(before.schema)]);
    expect(answer.body.schema.isbn).toEqual({ type: 'text', nullable: true });
    expect(before).toMatchObject({ ...sets, status: 'ready' });
    await insert(app, collection, { title: 'Emma', isbn: '1' });
    const again = await app.request('POST', collection.data, {
      ...collection.owner,
      body: { records: { title: 'Emma' } },
    });
    expect(outcome(again)).toEqual([409, 'AlreadyExists']);
  });

  it('moves the values of a flexible field into the new column, for every type, and records read the same', async () => {
    const collection = await newCollection(app, home);
    const ids = await insert(app, collection, EMMA, { title: null, shelf: 8 }, { shelf: 9 });
    const before = await search(app, collection);
    const properties = (await get(await newTypedCollection(app, home))).schema;
    expect((await patch(collection, properties)).status).toBe(200);
    expect(await flexible(collection)).toEqual([
      { shelf: EMMA.shelf, notes: EMMA.notes },
      { shelf: 8 },
      { shelf: 9 },
    ]);
    const after = await search(app, collection);
    expect(after.records[0]).toEqual(before.records[0]);
    expect(after.records[2]).toMatchObject({ _id: ids[2], shelf: 9, title: null, tags: null });
    const found = await search(app, collection, { filter: { year: { $lt: 1900 }, 'details.pages': 340 } });
    expect(found.count).toBe(1);
  });

  it('stores an instant in the same form as the column would', async () => {
    const collection = await newCollection(app, home);
    const [id] = await insert(app, collection, { at: '2026-01-31t09:30:00.9999999+05:30' });
    await patch(collection, { at: { type: 'datetime' } });
    expect((await read(app, collection, id as string)).at).toBe('2026-01-31T04:00:00.999Z');
  });

  it('refuses values that do not fit, reports the first ten with their ids, and changes nothing', async () => {
    const collection = await newCollection(app, home);
    const wrong = Array.from({ length: 12 }, (_, at) => ({ age: `${at}` }));
    const ids = await insert(app, collection, { age: 7 }, ...wrong);
    const before = await get(collection);
    const answer = await patch(collection, { age: { type: 'integer' }, name: { type: 'text' } });
    expect(outcome(answer)).toEqual([422, 'ConstraintViolation']);
    const problem = 'does not fit: the column expects an integer within ±(2^53−1)';
    expect(answer.body.details).toEqual(ids.slice(1, 11).map(_id => ({ _id, column: 'age', problem })));
    expect(await get(collection)).toEqual(before);
    expect((await flexible(collection))[0]).toEqual({ age: 7 });
    expect((await eventsOf(app, collection)).map(({ type }) => type)).not.toContain(
      'collections.schema.updated',
    );
  });

  it('refuses nullable: false while a record has null or no value, and enforces it afterwards', async () => {
    const collection = await newCollection(app, home, { properties: { a: { type: 'text' } } });
    const [full, empty] = await insert(app, collection, { a: 'x', b: 1 }, { b: null });
    for (const [column, type] of [
      ['a', 'text'],
      ['b', 'integer'],
      ['c', 'json'],
    ]) {
      const answer = await patch(collection, { [column as string]: { type, nullable: false } });
      expect(outcome(answer)).toEqual([422, 'ConstraintViolation']);
      const first = column === 'c' ? full : empty;
      expect(answer.body.details[0]).toEqual({ _id: first, column, problem: 'must not be null or absent' });
    }
    await app.request('DELETE', `${collection.data}/${empty}`, collection.owner);
    const change = { a: { type: 'text', nullable: false }, b: { type: 'integer', nullable: false } };
    expect((await patch(collection, change)).status).toBe(200);
    const write = await app.request('POST', collection.data, {
      ...collection.owner,
      body: { records: { a: 'y' } },
    });
    expect(outcome(write)).toEqual([400, 'InvalidArguments']);
    expect((await patch(collection, { b: { nullable: true } })).body.schema.b).toEqual({
      type: 'integer',
      nullable: true,
    });
    await insert(app, collection, { a: 'y' });
  });

  it('checks unexpired records only, and removes expired ones with their event', async () => {
    const collection = await newCollection(app, home);
    const [gone, alive] = await insert(app, collection, { age: 'old' }, { age: 7 });
    await expire(app, collection, gone as string);
    expect((await patch(collection, { age: { type: 'integer', nullable: false } })).status).toBe(200);
    expect((await search(app, collection)).records).toMatchObject([{ _id: alive, age: 7 }]);
    const [removed, changed] = (await eventsOf(app, collection)).slice(-2);
    expect(removed).toMatchObject({ type: 'collections.records.expired', record_ids: [gone], count: 1 });
    expect(changed?.type).toBe('collections.schema.updated');
  });

  describe('a change of type', () => {
    const typed = async (type: string, values: unknown[], wanted: object = {}) => {
      const collection = await newCollection(app, home, { properties: { v: { type } }, ...wanted });
      await insert(app, collection, ...values.map(v => ({ v })), {});
      return collection;
    };
    const values = async (collection: TestCollection) =>
      (await search(app, collection)).records.map((record: { v: unknown }) => record.v);

    it.each([
      ['integer', 'double', [1, -9007199254740991], [1, -9007199254740991]],
      ['integer', 'text', [1, -20], ['1', '-20']],
      ['double', 'integer', [1, -2e3], [1, -2000]],
      ['double', 'text', [1.5, 0.1, 1e20], ['1.5', '0.1', '100000000000000000000']],
      ['boolean', 'text', [true, false], ['true', 'false']],
      ['date', 'text', ['1815-12-23'], ['1815-12-23']],
      ['date', 'datetime', ['1815-12-23'], ['1815-12-23T00:00:00.000Z']],
      ['datetime', 'text', ['2026-01-31T09:30:00.250Z'], ['2026-01-31T09:30:00.250Z']],
      ['datetime', 'date', ['2026-01-31T00:00:00.000Z'], ['2026-01-31']],
      ['text', 'integer', ['0', '-12', '9007199254740991'], [0, -12, 9007199254740991]],
      ['text', 'double', ['1.5', '-0.25', '7'], [1.5, -0.25, 7]],
      ['text', 'boolean', ['true', 'false'], [true, false]],
      ['text', 'date', ['2024-02-29'], ['2024-02-29']],
      ['text', 'datetime', ['2026-01-31T09:30:00.250Z'], ['2026-01-31T09:30:00.250Z']],
      ['array', 'json', [['a', 'b'], []], [['a', 'b'], []]],
      ['json', 'array', [['a', 'b'], []], [['a', 'b'], []]],
      ['json', 'text', ['a', ''], ['a', '']],
      ['json', 'double', [1.5], [1.5]],
      ['datetime', 'json', ['2026-01-31T09:30:00.250Z'], ['2026-01-31T09:30:00.250Z']],
    ])('from %s to %s keeps the meaning of %j', async (from, to, before, after) => {
      const collection = await typed(from, before);
      const answer = await patch(collection, { v: { type: to } });
      expect([answer.status, answer.body.schema]).toEqual([200, { v: { type: to, nullable: true } }]);
      expect(await values(collection)).toEqual([...after, null]);
    });

    it.each([
      ['double', 'integer', 1.5],
      ['double', 'integer', 2 ** 53],
      ['double', 'boolean', 1],
      ['boolean', 'integer', true],
      ['datetime', 'date', '2026-01-31T09:30:00.000Z'],
      ['text', 'integer', '007'],
      ['text', 'integer', '9007199254740993'],
      ['text', 'integer', ''],
      ['text', 'double', '1.50'],
      ['text', 'double', '0.1000000000000000055511151231257827'],
      ['text', 'boolean', 'TRUE'],
      ['text', 'date', '2023-02-29'],
      ['text', 'datetime', '2026-01-31T09:30:00Z'],
      ['text', 'array', 'a'],
      ['json', 'text', 7],
      ['json', 'array', ['a', 1]],
      ['array', 'text', ['a']],
    ])('from %s to %s is refused for %j and changes nothing', async (from, to, value) => {
      const collection = await typed(from, [value]);
      const before = await get(collection);
      const answer = await patch(collection, { v: { type: to } });
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
      expect(answer.body.details).toMatchObject([
        { column: 'v', problem: `does not convert from ${from} to ${to} without loss` },
      ]);
      expect(await get(collection)).toEqual(before);
      expect(await values(collection)).toEqual([value, null]);
    });

    it('keeps the indexes and uniques over the column, and its NOT NULL', async () => {
      const collection = await newCollection(app, home, {
        properties: { v: { type: 'integer', nullable: false }, w: { type: 'text' } },
        indexes: [{ properties: ['v'] }, { properties: ['w'] }],
        uniques: [{ properties: ['w', 'v'] }],
      });
      await insert(app, collection, { v: 1, w: 'a' });
      await patch(collection, { v: { type: 'text' } });
      const write = (records: unknown) =>
        app.request('POST', collection.data, { ...collection.owner, body: { records } });
      expect(outcome(await write({ v: '1', w: 'a' }))).toEqual([409, 'AlreadyExists']);
      expect(outcome(await write({ w: 'b' }))).toEqual([400, 'InvalidArguments']);
      expect((await write({ v: '2', w: 'a' })).status).toBe(200);
      const [{ count }] = await app.sql(
        `SELECT count(*)::int FROM pg_index WHERE indrelid = $1::regclass AND indisvalid`,
        [collection.table],
      );
      expect(count).toBe(5);
    });
  });

  it('keeps the place of a column that gets another type, and never reuses the number of one', async () => {
    const collection = await newCollection(app, home, {
      properties: { a: { type: 'text' }, b: { type: 'text' } },
    });
    await patch(collection, { b: { type: 'json' } });
    await patch(collection, { c: { type: 'text' }, a: { type: 'json' } });
    await patch(collection, { a: { nullable: true }, b: { type: 'text' } });
    expect(Object.keys((await get(collection)).schema)).toEqual(['a', 'b', 'c']);
    const names = await app.sql(
      `SELECT attname FROM pg_attribute WHERE attrelid = $1::regclass AND attname ~ '^c[0-9]+$' ORDER BY attnum`,
      [collection.table],
    );
    expect(names.map(row => row.attname)).toEqual(['c4', 'c5', 'c6']);
  });

  it('leaves one event with the columns before and after', async () => {
    const collection = await newCollection(app, home, { properties: { a: { type: 'integer' } } });
    const answer = await patch(collection, { a: { type: 'double' }, b: { type: 'text', nullable: false } });
    const [, event, ...more] = await eventsOf(app, collection);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'collections.schema.updated',
      target: { type: 'collection', id: collection.id, name: collection.name },
      correlation_id: answer.headers.get('x-correlation-id'),
      changes: {
        before: { a: { type: 'integer', nullable: true }, b: null },
        after: { a: { type: 'double', nullable: true }, b: { type: 'text', nullable: false } },
      },
    });
  });

  it('writes no event if nothing changes', async () => {
    const collection = await newTypedCollection(app, home);
    const before = await get(collection);
    expect((await patch(collection, { title: { type: 'text' } })).status).toBe(200);
    expect((await patch(collection, {})).status).toBe(200);
    expect(await get(collection)).toEqual(before);
    expect(await eventsOf(app, collection)).toHaveLength(1);
  });

  it('shows the outcome in a dry run, and changes nothing', async () => {
    const collection = await newCollection(app, home, { properties: { a: { type: 'integer' } } });
    await insert(app, collection, { a: 1, b: 'x' }, { b: 'y' }, {});
    const before = [await get(collection), await eventsOf(app, collection)];
    const change = { a: { type: 'text' }, b: { type: 'text' } };
    const answer = await patch(collection, change, { dry_run: true });
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        collection_id: collection.id,
        schema: { a: { type: 'text', nullable: true }, b: { type: 'text', nullable: true } },
        indexes: [],
        uniques: [],
        dry_run: true,
        affected_count: 2,
        changes: [
          {
            column: 'a',
            before: { type: 'integer', nullable: true },
            after: { type: 'text', nullable: true },
          },
          { column: 'b', before: null, after: { type: 'text', nullable: true } },
        ],
      },
    ]);
    const refused = await patch(collection, { b: { type: 'integer' } }, { dry_run: true });
    expect(outcome(refused)).toEqual([422, 'ConstraintViolation']);
    expect(outcome(await patch(collection, { a: { type: 'date' } }, { dry_run: true }))[0]).toBe(400);
    expect([await get(collection), await eventsOf(app, collection)]).toEqual(before);
    expect(await flexible(collection)).toEqual([{ b: 'x' }, { b: 'y' }, {}]);
  });

  it.each([
    [{}, 'properties'],
    [{ properties: [] }, 'properties'],
    [{ properties: { a: 'text' } }, 'properties.a'],
    [{ properties: { a: { type: 'number' } } }, 'properties.a.type'],
    [{ properties: { _id: { type: 'text' } } }, 'system field'],
    [{ properties: { 'a b': { type: 'text' } } }, 'column name'],
    [{ properties: { a: { type: 'text', size: 3 } } }, 'properties.a.size'],
    [{ properties: {}, indexes: [] }, 'indexes'],
    [{ properties: {}, dry_run: 'yes' }, 'dry_run'],
  ])('refuses the body %j with a message that names %s', async (body, named) => {
    const { path, owner } = await newCollection(app, home);
    const answer = await app.request('PATCH', `${path}/schema`, { ...owner, body });
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(named);
  });

  it('retries while a long read holds the table, does not block others, and gives up with 503', async () => {
    const collection = await newCollection(app, home);
    await insert(app, collection, { a: 1 });
    const answer = await during(app, `SELECT FROM ${collection.table} LIMIT 1`, async () => {
      const change = patch(collection, { a: { type: 'integer' } });
      const reads = await Promise.all(Array.from({ length: 5 }, () => search(app, collection)));
      expect(reads.map(({ count }) => count)).toEqual([1, 1, 1, 1, 1]);
      return change;
    });
    expect(outcome(answer)).toEqual([503, 'Unavailable']);
    expect(await flexible(collection)).toEqual([{ a: 1 }]);
    expect((await patch(collection, { a: { type: 'integer' } })).status).toBe(200);
  });
});
