import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  EMMA,
  eventsOf,
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
import { FITTING, FORBIDDEN, nested, UNFITTING } from './typed-values.js';

describe('POST /v1/collections/{collection_id}/data', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    books = await newTypedCollection(app, home, {
      properties: {
        title: { type: 'text' },
        year: { type: 'integer' },
        price: { type: 'double' },
        lent: { type: 'boolean' },
        printed: { type: 'date' },
        read_at: { type: 'datetime' },
        details: { type: 'json' },
        tags: { type: 'array' },
        isbn: { type: 'text' },
      },
      uniques: [{ properties: ['isbn'] }],
    });
  });

  const post = (body: unknown, { data, owner } = books) => app.request('POST', data, { ...owner, body });

  it('inserts a list, returns ids in its order, and shows every field as sent', async () => {
    const { status, body } = await post({ records: [EMMA, { title: 'Ulysses', city: 'Dublin' }] });
    expect(status).toBe(200);
    expect(body).toEqual({ inserted_count: 2, ids: [expect.any(String), expect.any(String)] });
    const [emma, ulysses] = await Promise.all(body.ids.map((id: string) => read(app, books, id)));
    expect(emma).toEqual({
      _id: body.ids[0],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: emma.created_at,
      isbn: null,
      ...EMMA,
    });
    expect(ulysses).toMatchObject({
      title: 'Ulysses',
      city: 'Dublin',
      year: null,
      details: null,
      tags: null,
    });
    expect(ulysses).not.toHaveProperty('shelf');
  });

  it('accepts one record without a list', async () => {
    const { body } = await post({ records: { title: 'Emma' } });
    expect(body).toEqual({ inserted_count: 1, ids: [expect.any(String)] });
  });

  it('creates ascending ids in the order of the request, which is the insertion order', async () => {
    const collection = await newCollection(app, home);
    const ids = await insert(app, collection, ...Array.from({ length: 1000 }, (_, n) => ({ n })));
    expect(ids).toEqual([...ids].sort());
    const found = await search(app, collection, { sort: { n: 1 }, limit: 100 });
    expect(found.records.map((record: { _id: string }) => record._id)).toEqual(ids.slice(0, 100));
  });

  it('leaves one event with count, ids in order, caller and correlation id', async () => {
    const collection = await newCollection(app, home);
    const answer = await post({ records: [{ a: 1 }, { a: 2 }, { a: 3 }] }, collection);
    expect((await eventsOf(app, collection)).slice(1)).toEqual([
      {
        type: 'collections.records.inserted',
        actor: { type: 'user', id: home.org.owner.userId, via: 'rest' },
        target: { type: 'collection', id: collection.id, name: collection.name },
        count: 3,
        record_ids: answer.body.ids,
        changes: null,
        correlation_id: answer.headers.get('x-correlation-id'),
      },
    ]);
  });

  it('ignores system fields and ownership that a client sends', async () => {
    const id = '00000000-0000-4000-8000-000000000000';
    const past = '2001-01-01T00:00:00.000Z';
    const system = { _id: id, created_at: past, updated_at: past, _etag: '"1"', _cut: ['a'] };
    const sent = { ...system, owner_id: id, owner_type: 'agent', a: 1 };
    const [made] = await insert(app, books, sent);
    const record = await read(app, books, made as string);
    expect(made).not.toBe(id);
    expect(record.created_at > past).toBe(true);
    for (const name of ['owner_id', '_etag', '_cut']) expect(record).not.toHaveProperty(name);
    expect(record.a).toBe(1);
  });

  it('accepts an empty record', async () => {
    const [id] = await insert(app, await newCollection(app, home), {});
    expect(id).toBeTruthy();
  });

  it.each(FITTING)('stores $sent in the column $column', async ({ column, sent, shown = sent }) => {
    const [id] = await insert(app, books, { [column]: sent });
    expect((await read(app, books, id as string))[column]).toEqual(JSON.parse(JSON.stringify(shown)));
  });

  it.each([
    'text',
    1,
    -1.5e-300,
    1e308,
    true,
    null,
    [],
    {},
    [[1], { a: [{}] }],
    { deep: { null: null, constructor: 'x', length: 0 } },
    '𝒳',
    '\u0001',
  ])('stores %j in a flexible field', async value => {
    const [id] = await insert(app, books, { anything: value });
    expect((await read(app, books, id as string)).anything).toEqual(value);
  });

  it('accepts field names of 255 characters in any script, and 100 levels', async () => {
    const deep = { a: nested(99) };
    const record = { ['ñ'.repeat(255)]: 1, '日本 "x"': 2, "a'b": 3, toString: 4, ...deep };
    const [id] = await insert(app, books, record);
    expect(await read(app, books, id as string)).toMatchObject(record);
  });

  it.each(UNFITTING)('refuses %s: %j, and names column, row and %s', async (column, sent, expects) => {
    const before = await written(app, books);
    const answer = await post({ records: [{ title: 'fits' }, { [column]: sent }] });
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(`records.1.${column}`);
    expect(answer.body.message).toContain(expects);
    expect(answer.body.details).toEqual([{ row: 1, column, problem: expect.stringContaining(expects) }]);
    expect(await written(app, books)).toEqual(before);
  });

  it.each(FORBIDDEN)('refuses %s', async (_, record, says) => {
    const before = await written(app, books);
    const answer = await app.request('POST', books.data, {
      ...home.owner,
      raw: `{"records":[{"title":"fits"},${record}]}`,
    });
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(says);
    expect(await written(app, books)).toEqual(before);
  });

  it.each<[string, unknown]>([
    ['no records', {}],
    ['null', { records: null }],
    ['an empty list', { records: [] }],
    ['text', { records: 'x' }],
    ['a number', { records: 7 }],
    ['a list of text', { records: ['x'] }],
    ['a list in a list', { records: [[{}]] }],
    ['null in the list', { records: [{}, null] }],
    ['1,001 records', { records: Array.from({ length: 1001 }, () => ({})) }],
    ['an unknown property', { records: {}, mode: 'append' }],
    ['a negative ttl_days', { records: {}, ttl_days: -1 }],
    ['ttl_days as text', { records: {}, ttl_days: '1' }],
    ['half a day', { records: {}, ttl_days: 0.5 }],
    ['a list as body', [{ records: {} }]],
    ['text as body', 'records'],
    ['null as body', null],
  ])('refuses %s', async (_, body) => {
    const before = await written(app, books);
    expect(outcome(await post(body))).toEqual([400, 'InvalidArguments']);
    expect(await written(app, books)).toEqual(before);
  });

  it('refuses a record without a column that must not be null', async () => {
    const collection = await newCollection(app, home, {
      properties: { isbn: { type: 'text', nullable: false }, year: { type: 'integer' } },
    });
    for (const record of [{}, { isbn: null }, { year: 1 }]) {
      const answer = await post({ records: [{ isbn: 'a' }, record] }, collection);
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
      expect(answer.body.message).toContain('records.1.isbn');
    }
    expect(await written(app, collection)).toEqual([0, 1]);
  });

  it('reports all invalid values of a request, up to 100', async () => {
    const answer = await post({ records: Array.from({ length: 150 }, () => ({ year: 'x', lent: 1 })) });
    expect(answer.body.details).toHaveLength(100);
    expect(answer.body.message).toContain('299 more');
  });

  describe('uniques', () => {
    it('refuses a value that exists or is repeated, and writes nothing', async () => {
      await insert(app, books, { isbn: 'taken' });
      const before = await written(app, books);
      const properties = ['isbn'];
      const row = (n: number) => ({ row: n, column: 'isbn', properties });
      for (const [records, details] of [
        [{ isbn: 'taken' }, { properties }],
        [[{ isbn: 'taken' }], { properties }],
        [[{ isbn: 'new' }, { isbn: 'taken' }], [row(1)]],
        [
          [{ isbn: 'taken' }, { isbn: 't' }, { isbn: 't' }, { isbn: null }],
          [row(0), row(2)],
        ],
      ]) {
        const answer = await post({ records });
        expect(outcome(answer)).toEqual([409, 'AlreadyExists']);
        expect(answer.body.message).toContain('isbn');
        expect(answer.body.details).toEqual(details);
        expect(answer.text).not.toMatch(/u_[0-9a-f]{8}|c\d+|org_/);
      }
      expect(await written(app, books)).toEqual(before);
    });

    it('treats nulls as different values', async () => {
      expect(await insert(app, books, {}, {}, { isbn: null })).toHaveLength(3);
    });

    it('lets one of many concurrent inserts of the same value succeed', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => post({ records: { isbn: 'raced' } })),
      );
      const statuses = answers.map(answer => answer.status);
      expect(statuses.filter(status => status === 200)).toHaveLength(1);
      expect(statuses.filter(status => status === 409)).toHaveLength(19);
      expect((await search(app, books, { filter: { isbn: 'raced' } })).count).toBe(1);
    });
  });

  it('gives each of many concurrent inserts its own answer, record and event, also from different callers', async () => {
    const collection = await newTypedCollection(app, home, {
      properties: { n: { type: 'integer' }, isbn: { type: 'text' } },
      uniques: [{ properties: ['isbn'] }],
    });
    const minted = await app.request('POST', `${collection.path}/api-keys`, {
      ...collection.owner,
      body: { slug: 'writer', name: 'Writer', permissions: ['collections:write'] },
    });
    const callers = [collection.owner, { key: minted.body.secret }];
    await insert(app, collection, { isbn: 'taken', n: -1 });
    const sent = Array.from({ length: 120 }, (_, n) => ({ n, isbn: n % 5 === 0 ? 'taken' : `isbn-${n}` }));
    const answers = await Promise.all(
      sent.map((records, n) =>
        app.request('POST', collection.data, {
          ...callers[n % 2],
          headers: { 'x-correlation-id': `at-once-${n}` },
          body: { records },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(sent.map(({ n }) => (n % 5 === 0 ? 409 : 200)));
    const events = new Map((await eventsOf(app, collection)).map(event => [event.correlation_id, event]));
    for (const [n, { status, body }] of answers.entries()) {
      const event = events.get(`at-once-${n}`);
      if (status === 409) {
        expect(event).toBeUndefined();
        continue;
      }
      expect(event).toMatchObject({ type: 'collections.records.inserted', count: 1, record_ids: body.ids });
      expect(event?.actor.type).toBe(n % 2 === 0 ? 'user' : 'key');
      expect(await read(app, collection, body.ids[0])).toMatchObject(sent[n] as object);
    }
    expect(await written(app, collection)).toEqual([97, 98]);
  });

  it('refuses a value that is too long for an index on its column', async () => {
    const collection = await newTypedCollection(app, home, { indexes: [{ properties: ['title'] }] });
    const title = Array.from({ length: 20_000 }, (_, n) => ((n * 7919) % 65_521).toString(36)).join('');
    const answer = await post({ records: [{ title: 'fits' }, { title }] }, collection);
    expect(outcome(answer)).toEqual([400, 'ValueTooLong']);
    expect(await written(app, collection)).toEqual([0, 1]);
    expect((await post({ records: { other: title } }, collection)).status).toBe(200);
  });
});
