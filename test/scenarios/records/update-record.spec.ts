import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  EMMA,
  EVERY_TYPE,
  eventsOf,
  type Home,
  insert,
  newHome,
  newTypedCollection,
  outcome,
  read,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { FITTING, FORBIDDEN, UNFITTING } from './typed-values.js';

describe('PATCH /v1/collections/{collection_id}/data/{record_id}', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    books = await newTypedCollection(app, home, {
      properties: { ...EVERY_TYPE, isbn: { type: 'text' }, kind: { type: 'text', nullable: false } },
      uniques: [{ properties: ['isbn'] }],
    });
  });

  const patch = (id: string | undefined, body: unknown, { data, owner } = books) =>
    app.request('PATCH', `${data}/${id}`, { ...owner, body });
  const emma = async (record: object = {}) =>
    (await insert(app, books, { ...EMMA, kind: 'novel', ...record }))[0]!;

  it.each<[string, (change: object) => object]>([
    ['fields as they are', change => change],
    ['$set', change => ({ $set: change })],
  ])('sets %s, typed and flexible, and changes no other field', async (_, form) => {
    const id = await emma();
    const before = await read(app, books, id);
    const change = { price: 3, title: null, shelf: 9, mood: { calm: true } };
    const { status, body } = await patch(id, form(change));
    expect([status, body]).toEqual([200, { matched_count: 1, updated_count: 1 }]);
    const after = await read(app, books, id);
    expect(after).toEqual({ ...before, ...change, updated_at: after.updated_at });
    expect(after.updated_at > before.updated_at).toBe(true);
  });

  it('leaves one event with the id of the record', async () => {
    const collection = await newTypedCollection(app, home);
    const [id] = await insert(app, collection, EMMA);
    const answer = await patch(id, { price: 1 }, collection);
    expect((await eventsOf(app, collection)).slice(2)).toMatchObject([
      {
        type: 'collections.records.updated',
        count: 1,
        record_ids: [id],
        changes: null,
        correlation_id: answer.headers.get('x-correlation-id'),
      },
    ]);
  });

  it.each<[string, object]>([
    ['values that it has already', { price: EMMA.price, shelf: EMMA.shelf, details: EMMA.details }],
    ['nothing', {}],
    ['nothing by $set', { $set: {} }],
    ['system fields', { _id: randomUUID(), created_at: '2001-01-01T00:00:00Z', owner_id: 'x' }],
    ['system fields of answers', { _etag: '"1"', '_cut.0': 'title' }],
  ])('matches and changes nothing when sent %s: no event, the same updated_at', async (_, body) => {
    const id = await emma();
    const before = await read(app, books, id);
    const count = await written(app, books);
    expect((await patch(id, body)).body).toEqual({ matched_count: 1, updated_count: 0 });
    expect(await read(app, books, id)).toEqual(before);
    expect(await written(app, books)).toEqual(count);
  });

  it.each(FITTING)('sets the column $column to $sent', async ({ column, sent, shown = sent }) => {
    const id = await emma();
    expect((await patch(id, { [column]: sent })).body.matched_count).toBe(1);
    expect((await read(app, books, id))[column]).toEqual(JSON.parse(JSON.stringify(shown)));
  });

  it.each(UNFITTING)('refuses %s: %j', async (column, sent, expects) => {
    const id = await emma();
    const before = [await read(app, books, id), await written(app, books)];
    const answer = await patch(id, { shelf: 1, [column]: sent });
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(column);
    expect(answer.body.message).toContain(expects);
    expect([await read(app, books, id), await written(app, books)]).toEqual(before);
  });

  // A body with only `$set` is the update operator, here without fields; a dotted name is a path.
  it.each(FORBIDDEN.filter(([what]) => what !== 'a dot in a field name'))('refuses %s', async (_, raw) => {
    const id = await emma();
    const before = [await read(app, books, id), await written(app, books)];
    for (const form of [raw, `{"$set":${raw}}`]) {
      const answer = await app.request('PATCH', `${books.data}/${id}`, { ...home.owner, raw: form });
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    }
    expect([await read(app, books, id), await written(app, books)]).toEqual(before);
  });

  it.each<[string, unknown]>([
    ['a column that must not be null', { kind: null }],
    ['fields and $set mixed', { $set: { price: 1 }, shelf: 1 }],
    ['an unknown operator', { $destroy: { a: 1 } }],
    ['$set of text', { $set: 'x' }],
    ['$set of a list', { $set: [] }],
    ['$set of null', { $set: null }],
    ['a list', [{ price: 1 }]],
    ['text', 'x'],
    ['null', null],
    ['a number', 7],
  ])('refuses %s', async (_, body) => {
    const id = await emma();
    const before = [await read(app, books, id), await written(app, books)];
    expect(outcome(await patch(id, body))).toEqual([400, 'InvalidArguments']);
    expect([await read(app, books, id), await written(app, books)]).toEqual(before);
  });

  it('refuses a value that violates a unique, and leaves the record unchanged', async () => {
    await emma({ isbn: 'taken' });
    const id = await emma({ isbn: 'mine' });
    const count = await written(app, books);
    const answer = await patch(id, { isbn: 'taken', price: 1 });
    expect(outcome(answer)).toEqual([409, 'AlreadyExists']);
    expect(answer.body.message).toContain('isbn');
    expect(await read(app, books, id)).toMatchObject({ isbn: 'mine', price: EMMA.price });
    expect(await written(app, books)).toEqual(count);
  });

  it('loses none of many concurrent changes', async () => {
    const id = await emma();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => patch(id, n % 2 === 0 ? { [`f${n}`]: n } : { price: n })),
    );
    expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([200]));
    const record = await read(app, books, id);
    for (let n = 0; n < 20; n += 2) expect(record[`f${n}`]).toBe(n);
  });

  it('returns 404 for an unknown, malformed or foreign id, without an event', async () => {
    const other = await newTypedCollection(app, home);
    const [foreign] = await insert(app, other, EMMA);
    const count = await written(app, books);
    for (const id of [randomUUID(), 'x', foreign]) {
      expect(outcome(await patch(id, { price: 1 }))).toEqual([404, 'RecordNotFound']);
    }
    expect(await written(app, books)).toEqual(count);
    expect((await read(app, other, foreign as string)).price).toBe(EMMA.price);
  });
});
