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
  type TestCollection,
} from '../../harness/collection.js';

describe('GET /v1/collections/{collection_id}/data/distinct', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    books = await newTypedCollection(app, home);
    const ids = await insert(
      app,
      books,
      {
        title: 'b',
        year: 2,
        price: 0.5,
        lent: true,
        printed: '2026-01-02',
        read_at: '2026-01-02T00:00:00Z',
        tags: ['x', 'y'],
        details: { k: 'a' },
        shelf: 1,
        list: [1, [2], 'x'],
      },
      {
        title: 'a',
        year: 10,
        price: 0.5,
        lent: false,
        printed: '2026-01-02',
        read_at: '2026-01-02T01:00:00+01:00',
        tags: ['y', 'z'],
        details: { k: 'b' },
        shelf: '1',
        list: [],
      },
      {
        title: 'B',
        year: 2,
        price: -1,
        lent: true,
        printed: '2025-12-31',
        read_at: '2026-01-01T00:00:00Z',
        tags: [],
        details: [{ k: 'a' }, { k: 'c' }],
        shelf: 1,
      },
      { title: 'gone', year: 99, shelf: 'gone' },
    );
    await expire(app, books, ids[3] as string);
  });

  const distinct = (query: string) => app.request('GET', `${books.data}/distinct?${query}`, books.owner);

  it.each<[string, unknown[]]>([
    ['title', ['B', 'a', 'b']],
    ['year', [2, 10]],
    ['price', [-1, 0.5]],
    ['lent', [false, true]],
    ['printed', ['2025-12-31', '2026-01-02']],
    ['read_at', ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z']],
    ['unknown', []],
    ['title.deeper', []],
  ])('returns for %s the values %j', async (field, values) => {
    const { status, body } = await distinct(`field=${field}`);
    expect([status, body]).toEqual([200, { field, count: values.length, values }]);
  });

  it.each<[string, unknown[]]>([
    ['tags', ['x', 'y', 'z']],
    ['details.k', ['a', 'b', 'c']],
    ['shelf', [1, '1']],
    ['list', [1, 'x', [2]]],
  ])(
    'returns for %s, in any order, the values %j: arrays contribute their elements',
    async (field, values) => {
      const { body } = await distinct(`field=${field}`);
      expect(body.count).toBe(values.length);
      expect(new Set(body.values.map((value: unknown) => JSON.stringify(value)))).toEqual(
        new Set(values.map(value => JSON.stringify(value))),
      );
    },
  );

  it('takes by POST a filter that is longer than an address may be', async () => {
    const filter = {
      $or: [{ title: 'a' }, { title: { $in: Array.from({ length: 3_000 }, (_, n) => `no ${n}`) } }],
    };
    const body = { field: 'year', filter };
    const answer = await app.request('POST', `${books.data}/distinct`, { ...books.owner, body });
    expect([answer.status, answer.body]).toEqual([200, { field: 'year', count: 1, values: [10] }]);
  });

  it('accepts a filter and writes no event', async () => {
    expect((await distinct('field=year&filter={"title":"a"}')).body).toEqual({
      field: 'year',
      count: 1,
      values: [10],
    });
    expect(await eventsOf(app, books)).toHaveLength(2);
  });

  it('returns at most 1,000 values', async () => {
    const collection = await newTypedCollection(app, home);
    const records = Array.from({ length: 1200 }, (_, year) => ({ year }));
    await app.request('POST', `${collection.data}/bulk`, { ...collection.owner, body: { records } });
    const { body } = await app.request('GET', `${collection.data}/distinct?field=year`, collection.owner);
    expect([body.count, body.values]).toEqual([1000, Array.from({ length: 1000 }, (_, year) => year)]);
  });

  it.each([
    ['', 'field'],
    ['field=', 'field'],
    ['field=a..b', 'empty'],
    ['field=$a', '$'],
    ['field=a&field=b', 'field'],
    ['field=__proto__', '__proto__'],
    [`field=${'x'.repeat(300)}`, '255'],
    ['field=a%00b', 'field'],
    ['field=title&filter=x', 'filter'],
    ['field=title&filter=[1]', 'filter'],
    ['field=title&limit=5', 'limit'],
  ])('refuses ?%s', async (query, says) => {
    const answer = await distinct(query);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(says);
  });

  it('treats SQL in a field name as part of the name', async () => {
    const field = "x'; DROP TABLE collections; --";
    const { body } = await distinct(`field=${encodeURIComponent(field)}`);
    expect(body).toEqual({ field, count: 0, values: [] });
  });
});
