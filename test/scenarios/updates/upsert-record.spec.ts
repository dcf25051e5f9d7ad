import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import {
  EVERY_TYPE,
  eventsOf,
  everyRecord,
  expire,
  type Home,
  insert,
  newTypedCollection,
  outcome,
  read,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { startTwoInstances } from '../../harness/two-instances.js';

describe('POST /v1/collections/{collection_id}/data/upsert', () => {
  let app: TestApp;
  let second: TestApp;
  let home: Home;
  beforeAll(async () => {
    ({ app, second, home } = await startTwoInstances());
  });
  afterAll(() => second.close());

  const UNIQUE = { uniques: [{ properties: ['title'] }] };
  const shelf = (wanted: object = {}) => newTypedCollection(app, home, wanted);
  const upsert = ({ data, owner }: TestCollection, body: unknown, instance = app) =>
    instance.request('POST', `${data}/upsert`, { ...owner, body });

  describe.each<[string, object]>([
    ['with a unique on the key', UNIQUE],
    ['without a unique', {}],
  ])('%s', (_, wanted) => {
    it('inserts the record, then updates it, then changes nothing', async () => {
      const collection = await shelf(wanted);
      const body = { data: { title: 'Emma', year: 1815, shelf: 1 }, match_fields: ['title'] };
      const added = await upsert(collection, body);
      const _id = added.body.result._id;
      expect([added.status, added.body]).toEqual([
        200,
        { operation: 'upserted', result: { _id, inserted: true, matched_count: 0, modified_count: 0 } },
      ]);
      const changed = await upsert(collection, { ...body, data: { ...body.data, year: 1816, mood: 'dry' } });
      expect([changed.status, changed.body]).toEqual([
        200,
        { operation: 'upserted', result: { _id, inserted: false, matched_count: 1, modified_count: 1 } },
      ]);
      const again = await upsert(collection, {
        data: { title: 'Emma', mood: 'dry' },
        match_fields: ['title'],
      });
      expect(again.body.result).toEqual({ _id, inserted: false, matched_count: 1, modified_count: 0 });
      expect(await everyRecord(app, collection)).toMatchObject([
        { _id, title: 'Emma', year: 1816, shelf: 1, mood: 'dry' },
      ]);
      expect((await eventsOf(app, collection)).slice(1)).toMatchObject([
        { type: 'collections.records.upserted', count: 1, record_ids: [_id] },
        {
          type: 'collections.records.upserted',
          count: 1,
          record_ids: [_id],
          correlation_id: changed.headers.get('x-correlation-id'),
        },
      ]);
    });

    it('creates one record from 50 concurrent upserts of one key on two instances', async () => {
      const collection = await shelf(wanted);
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          upsert(
            collection,
            { data: { title: 'one', [`f${n}`]: n }, match_fields: ['title'] },
            n % 2 ? app : second,
          ),
        ),
      );
      expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
      expect(answers.filter(({ body }) => body.result.inserted)).toHaveLength(1);
      const [record, ...others] = await everyRecord(app, collection);
      expect(others).toEqual([]);
      for (let n = 0; n < 50; n++) expect(record?.[`f${n}`]).toBe(n);
      expect(new Set(answers.map(({ body }) => body.result._id))).toEqual(new Set([record?._id]));
      expect((await eventsOf(app, collection)).filter(({ type }) => type.endsWith('upserted'))).toHaveLength(
        50,
      );
    });

    it('counts exactly with $inc and $push, 50 at once on two instances', async () => {
      const collection = await shelf(wanted);
      const data = { $setOnInsert: { title: 'n', lent: true }, $inc: { year: 1 }, $push: { tags: 'x' } };
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          upsert(collection, { data, match_fields: ['title'] }, n % 2 ? app : second),
        ),
      );
      expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
      expect(await everyRecord(app, collection)).toMatchObject([
        { title: 'n', lent: true, year: 50, tags: Array(50).fill('x') },
      ]);
    });

    it('inserts many concurrent keys, each once', async () => {
      const collection = await shelf(wanted);
      await Promise.all(
        Array.from({ length: 60 }, (_, n) =>
          upsert(
            collection,
            { data: { title: `t${n % 20}` }, match_fields: ['title'] },
            n % 2 ? app : second,
          ),
        ),
      );
      const titles = (await everyRecord(app, collection)).map(({ title }) => title);
      expect([titles.length, new Set(titles).size]).toEqual([20, 20]);
    });

    it('inserts a new record if the one with the key has expired', async () => {
      const collection = await shelf(wanted);
      const [gone] = await insert(app, collection, { title: 'Emma', year: 1 });
      await expire(app, collection, gone as string);
      const { result } = (await upsert(collection, { data: { title: 'Emma' }, match_fields: ['title'] }))
        .body;
      expect(result.inserted).toBe(true);
      expect(await everyRecord(app, collection)).toMatchObject([{ _id: result._id, year: null }]);
    });

    it('respects max_records: a full collection accepts updates, but no new record', async () => {
      const collection = await shelf({ ...wanted, settings: { max_records: 2 } });
      await insert(app, collection, { title: 'a' }, { title: 'b' });
      const before = await written(app, collection);
      const refused = await upsert(collection, { data: { title: 'c' }, match_fields: ['title'] });
      expect(outcome(refused)).toEqual([422, 'CollectionFull']);
      expect(await written(app, collection)).toEqual(before);
      const changed = await upsert(collection, { data: { title: 'b', year: 1 }, match_fields: ['title'] });
      expect(changed.body.result).toMatchObject({ inserted: false, modified_count: 1 });
    });
  });

  it('creates one record from many upserts while the index of its unique is being built', async () => {
    const collection = await shelf(UNIQUE);
    await upsert(collection, { data: { title: 'known' }, match_fields: ['title'] });
    const [{ name }] = await app.sql(
      `SELECT i.indexrelid::regclass::text AS name FROM pg_index i WHERE i.indrelid = $1::regclass AND i.indisunique AND NOT i.indisprimary`,
      [collection.table],
    );
    await app.sql(`DROP INDEX ${name}`);
    await app.sql(`UPDATE collections SET status = 'building', version = version + 1 WHERE id = $1`, [
      collection.id,
    ]);
    const body = { data: { title: 'new' }, match_fields: ['title'] };
    await Promise.all(Array.from({ length: 20 }, (_, n) => upsert(collection, body, n % 2 ? app : second)));
    expect(await everyRecord(app, collection)).toHaveLength(2);

    const titles = Array.from({ length: 500 }, (_, n) => `t${n}`);
    const bulk = { records: titles.map(title => ({ title })), upsert_key: 'title' };
    const statuses = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const { data, owner } = collection;
        if (n % 4 === 0) return upsert(collection, { data: { title: 't499' }, match_fields: ['title'] });
        return (n % 2 ? app : second).request('POST', `${data}/bulk`, { ...owner, body: bulk });
      }),
    );
    expect([...new Set(statuses.map(({ status }) => status))].sort()).toEqual([200, 201]);
    const [{ n, distinct }] = await app.sql(
      `SELECT count(*)::int AS n, count(DISTINCT c1)::int AS distinct FROM ${collection.table}`,
    );
    expect({ n, distinct }).toEqual({ n: 502, distinct: 502 });
  });

  it('updates the oldest of several matches', async () => {
    const collection = await shelf();
    const ids = await insert(app, collection, { title: 'x' }, { title: 'y' }, { title: 'y' }, { title: 'y' });
    const { result } = (await upsert(collection, { data: { title: 'y', year: 5 }, match_fields: ['title'] }))
      .body;
    expect(result).toEqual({ _id: ids[1], inserted: false, matched_count: 1, modified_count: 1 });
    expect((await everyRecord(app, collection)).map(({ year }) => year)).toEqual([null, 5, null, null]);
  });

  it('applies $setOnInsert to a new record only', async () => {
    const collection = await shelf();
    const data = {
      $set: { title: 'Emma' },
      $setOnInsert: { year: 1815, 'notes.by': 'JA' },
      $inc: { seen: 1 },
    };
    const { result } = (await upsert(collection, { data, match_fields: ['title'] })).body;
    expect(await read(app, collection, result._id)).toMatchObject({
      year: 1815,
      notes: { by: 'JA' },
      seen: 1,
    });
    const other = { ...data, $setOnInsert: { year: 1, 'notes.by': '?' } };
    expect((await upsert(collection, { data: other, match_fields: ['title'] })).body.result.inserted).toBe(
      false,
    );
    expect(await read(app, collection, result._id)).toMatchObject({
      year: 1815,
      notes: { by: 'JA' },
      seen: 2,
    });
  });

  it.each<[string, object, string[], object, object]>([
    ['several fields', { title: 'a', year: 1 }, ['title', 'year'], { title: 'a', year: 2 }, { year: 2 }],
    ['a day', { printed: '2026-01-31' }, ['printed'], { printed: '2026-02-01' }, {}],
    ['a flexible field', { sku: 'a' }, ['sku'], { sku: 'b' }, {}],
    ['an object', { details: { a: 1, b: 2 } }, ['details'], { details: { a: 1 } }, {}],
    ['null', { title: null, year: 1 }, ['title', 'year'], { title: 'x', year: 1 }, {}],
  ])('finds its record by %s', async (_, data, match_fields, other) => {
    const collection = await shelf();
    const first = (await upsert(collection, { data, match_fields })).body.result;
    expect((await upsert(collection, { data: { ...data, found: 1 }, match_fields })).body.result._id).toBe(
      first._id,
    );
    expect((await upsert(collection, { data: other, match_fields })).body.result.inserted).toBe(true);
    expect(await everyRecord(app, collection)).toHaveLength(2);
  });

  it('treats different spellings of an instant as equal', async () => {
    const collection = await shelf();
    const by = (read_at: string) => upsert(collection, { data: { read_at }, match_fields: ['read_at'] });
    const { _id } = (await by('2026-01-31T10:00:00+02:00')).body.result;
    expect((await by('2026-01-31T08:00:00.0009Z')).body.result).toMatchObject({ _id, modified_count: 0 });
  });

  it('sets the lifetime to ttl_days from now, and otherwise keeps it', async () => {
    const collection = await shelf({ settings: { ttl_days: 30 } });
    const days = async () => {
      const [row] = await app.sql(
        `SELECT round(extract(epoch FROM expires_at - now()) / 86400)::int AS days FROM ${collection.table}`,
      );
      return row.days;
    };
    const send = (ttl_days?: number, data: object = {}) =>
      upsert(collection, { data: { title: 'a', ...data }, match_fields: ['title'], ttl_days });
    await send();
    expect(await days()).toBe(30);
    await send(undefined, { year: 1 });
    expect(await days()).toBe(30);
    await send(7);
    expect(await days()).toBe(7);
    await send(9, { 'notes.x': 1 });
    expect(await days()).toBe(9);
    await send(0);
    expect(await days()).toBe(null);
  });

  it('ignores system fields, and returns 409 for another unique without a change', async () => {
    const collection = await shelf({
      properties: { ...EVERY_TYPE, isbn: { type: 'text' } },
      uniques: [{ properties: ['isbn'] }, { properties: ['title'] }],
    });
    await insert(app, collection, { title: 'a', isbn: '1' }, { title: 'b', isbn: '2' });
    const before = [await everyRecord(app, collection), await written(app, collection)];
    for (const title of ['b', 'new']) {
      const answer = await upsert(collection, { data: { title, isbn: '1' }, match_fields: ['title'] });
      expect(outcome(answer)).toEqual([409, 'AlreadyExists']);
    }
    const _id = '00000000-0000-7000-8000-000000000000';
    const ignored = { _id, created_at: '2001-01-01T00:00:00Z', _etag: '"1"', _cut: [] };
    const same = await upsert(collection, { data: { title: 'a', ...ignored }, match_fields: ['title'] });
    expect(same.body.result).toMatchObject({
      _id: (before[0] as { _id: string }[])[0]?._id,
      modified_count: 0,
    });
    expect([await everyRecord(app, collection), await written(app, collection)]).toEqual(before);
  });

  it.each<[string, object, string]>([
    ['no data', { match_fields: ['title'] }, 'update'],
    ['data that is a list', { data: [], match_fields: ['title'] }, 'object'],
    ['no match_fields', { data: { title: 'a' } }, 'match_fields'],
    ['an empty list of match_fields', { data: { title: 'a' }, match_fields: [] }, 'match_fields'],
    ['11 match_fields', { data: { title: 'a' }, match_fields: 'abcdefghijk'.split('') }, 'match_fields'],
    ['a match field twice', { data: { title: 'a' }, match_fields: ['title', 'title'] }, 'match_fields'],
    ['a path as match field', { data: { details: { a: 1 } }, match_fields: ['details.a'] }, 'match_fields'],
    ['a match field without a value', { data: { title: 'a' }, match_fields: ['title', 'year'] }, 'year'],
    ['a system field as match field', { data: { _id: 'x' }, match_fields: ['_id'] }, '_id'],
    ['a match field that only $inc names', { data: { $inc: { year: 1 } }, match_fields: ['year'] }, 'year'],
    [
      'a value that does not fit its column',
      { data: { title: 'a', year: 'x' }, match_fields: ['title'] },
      'year',
    ],
    ['a key that does not fit its column', { data: { year: 'x' }, match_fields: ['year'] }, 'year'],
    ['a new record without what must not be null', { data: { title: 'a' }, match_fields: ['title'] }, 'kind'],
    [
      'fields beside operators',
      { data: { title: 'a', $inc: { n: 1 } }, match_fields: ['title'] },
      'not both',
    ],
    ['a negative ttl_days', { data: { title: 'a' }, match_fields: ['title'], ttl_days: -1 }, 'ttl_days'],
    ['an unknown property', { data: { title: 'a' }, match_fields: ['title'], upsert: true }, 'upsert'],
  ])('refuses %s', async (_, body, says) => {
    const collection = await shelf({
      properties: { ...EVERY_TYPE, kind: { type: 'text', nullable: false } },
    });
    const before = await written(app, collection);
    const answer = await upsert(collection, body);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(says);
    expect(await written(app, collection)).toEqual(before);
  });
});
