import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import {
  EMMA,
  EVERY_TYPE,
  eventsOf,
  type Home,
  insert,
  newCollection,
  newHome,
  newTypedCollection,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { newKey } from '../orgs/org.js';

type Found = { _id: string } & Record<string, unknown>;

describe('POST /v1/collections/{collection_id}/data/query', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    books = await newTypedCollection(app, home);
    await insert(
      app,
      books,
      { n: 1, ...EMMA },
      {
        n: 2,
        title: 'Ulysses',
        year: 1922,
        price: 20,
        lent: true,
        printed: '1922-02-02',
        tags: ['dublin', 'novel'],
        shelf: 'B',
      },
      { n: 3, title: 'émile', year: null, price: 0.1, read_at: '2026-02-01T00:00:00+02:00', shelf: null },
      { n: 4, title: 'Zorba', details: { publisher: { name: 'Faber' } }, tags: [] },
      { n: 5, details: [{ a: 1 }, { a: 2, b: { c: 'x' } }], shelf: { row: 2 } },
    );
  });

  const post = (body: unknown, { data, owner } = books) =>
    app.request('POST', `${data}/query`, { ...owner, body });
  const ns = async (body: object, collection = books): Promise<unknown[]> => {
    const answer = await post(body, collection);
    expect(outcome(answer)).toEqual([200, undefined]);
    return answer.body.records.map((record: Found) => record.n);
  };

  it('returns the first 20 records in insertion order without a filter', async () => {
    const collection = await newCollection(app, home);
    await insert(app, collection, ...Array.from({ length: 25 }, (_, n) => ({ n })));
    const { status, body } = await post({}, collection);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['count', 'records']);
    expect(body.count).toBe(20);
    expect(body.records.map((record: Found) => record.n)).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(await eventsOf(app, collection)).toHaveLength(2);
  });

  it('needs no body', async () => {
    expect((await app.request('POST', `${books.data}/query`, books.owner)).body.count).toBe(5);
  });

  it.each<[object, number[]]>([
    [{}, [1, 2, 3, 4, 5]],
    [{ title: 'Emma' }, [1]],
    [{ title: 'emma' }, []],
    [{ title: null }, [5]],
    [{ title: { $gte: 'V' } }, [3, 4]],
    [{ title: 7 }, []],
    [{ year: { $gt: 1815 } }, [2]],
    [{ year: { $ne: 1815 } }, [2, 3, 4, 5]],
    [{ year: '1815' }, []],
    [{ year: { $in: [1815, null] } }, [1, 3, 4, 5]],
    [{ year: { $in: [] } }, []],
    [{ year: { $nin: [] } }, [1, 2, 3, 4, 5]],
    [{ price: { $gte: 0.1, $lt: 20 } }, [1, 3]],
    [{ price: { $not: { $gt: 1 } } }, [3, 4, 5]],
    [{ lent: true }, [2]],
    [{ lent: false }, [1]],
    [{ lent: 1 }, []],
    [{ printed: '1815-12-23' }, [1]],
    [{ printed: { $lt: '1900-01-01' } }, [1]],
    [{ read_at: { $gte: '2026-01-31T22:00:00Z' } }, [3]],
    [{ read_at: '2026-01-31T10:30:00.250+01:00' }, [1]],
    [{ tags: 'novel' }, [1, 2]],
    [{ tags: ['novel', 'england'] }, [1]],
    [{ tags: [] }, [4]],
    [{ tags: { $in: ['dublin', 'nothing'] } }, [2]],
    [{ 'details.publisher.name': 'Murray' }, [1]],
    [{ 'details.publisher.name': { $regex: '^f', $options: 'i' } }, [4]],
    [{ 'details.a': 2 }, [5]],
    [{ 'details.1.b.c': 'x' }, [5]],
    [{ 'details.pages': 340 }, [1]],
    [{ 'details.publisher': { name: 'Faber' } }, [4]],
    [{ details: { $exists: true } }, [1, 2, 3, 4, 5]],
    [{ 'details.publisher': { $exists: true } }, [1, 4]],
    [{ shelf: { $exists: true } }, [1, 2, 3, 5]],
    [{ shelf: { $exists: false } }, [4]],
    [{ shelf: null }, [3, 4]],
    [{ shelf: 7 }, [1]],
    [{ shelf: { $gt: 1 } }, [1]],
    [{ shelf: { $gt: 'A' } }, [2]],
    [{ 'shelf.row': 2 }, [5]],
    [{ 'notes.places.town': 'London' }, [1]],
    [{ 'notes.places.0.town': 'London' }, []],
    [{ title: { $regex: '^[A-Z].*a$' } }, [1, 4]],
    [{ $or: [{ n: 1 }, { 'shelf.row': 2 }] }, [1, 5]],
    [{ $nor: [{ n: { $lt: 4 } }, { shelf: { $exists: true } }] }, [4]],
    [{ $and: [{ n: { $gte: 2 } }, { n: { $lte: 3 } }] }, [2, 3]],
    [{ created_at: { $lt: '2001-01-01' } }, []],
    [{ _id: 'no uuid' }, []],
    [{ unknown: { $ne: 1 } }, [1, 2, 3, 4, 5]],
    [{ "a'; DROP TABLE x; --": 1 }, []],
    [{ title: "' OR 1=1 --" }, []],
  ])('for the filter %j finds the records %j', async (filter, expected) => {
    expect(await ns({ filter })).toEqual(expected);
    const text = `?filter=${encodeURIComponent(JSON.stringify(filter))}`;
    const query = await app.request('GET', `${books.data}${text}`, books.owner);
    expect(query.body.records.map((record: Found) => record.n)).toEqual(expected);
    expect((await app.request('GET', `${books.data}/count${text}`, books.owner)).body).toEqual({
      count: expected.length,
    });
  });

  it.each<[object, number[]]>([
    [{ n: -1 }, [5, 4, 3, 2, 1]],
    [{ title: 1 }, [5, 1, 2, 4, 3]],
    [{ title: -1 }, [3, 4, 2, 1, 5]],
    [{ year: 1 }, [3, 4, 5, 1, 2]],
    [{ year: -1 }, [2, 1, 5, 4, 3]],
    [{ year: 1, n: -1 }, [5, 4, 3, 1, 2]],
    [{ lent: 1 }, [3, 4, 5, 1, 2]],
    [{ price: -1 }, [2, 1, 3, 5, 4]],
    [{ shelf: 1 }, [3, 4, 1, 2, 5]],
    [{ shelf: -1 }, [5, 2, 1, 4, 3]],
    [{ 'details.publisher.name': -1 }, [1, 4, 5, 3, 2]],
    [{ _id: -1 }, [5, 4, 3, 2, 1]],
    [{ created_at: 1 }, [1, 2, 3, 4, 5]],
  ])(
    'with the sort %j returns %j: nulls first ascending, ties in insertion order',
    async (sort, expected) => {
      expect(await ns({ sort })).toEqual(expected);
    },
  );

  it.each<[unknown, object]>([
    [
      { n: 1, title: 1 },
      { _id: expect.any(String), n: 1, title: 'Emma' },
    ],
    [['title'], { _id: expect.any(String), title: 'Emma' }],
    [{ title: 1, _id: 0 }, { title: 'Emma' }],
    [{ _id: 1 }, { _id: expect.any(String) }],
    [{ 'details.publisher.city': 1, _id: 0 }, { details: { publisher: { city: 'London' } } }],
    [
      { 'details.publisher.city': 1, 'details.pages': 1, _id: 0 },
      { details: { publisher: { city: 'London' }, pages: [120, 340] } },
    ],
    [{ 'notes.places.town': 1, _id: 0 }, { notes: { places: [{ town: 'Highbury' }, { town: 'London' }] } }],
    [
      { 'notes.first': 1, title: 1, _id: 0 },
      { title: 'Emma', notes: { first: 'dry' } },
    ],
    [{ shelf: 1, unknown: 1, _id: 0 }, { shelf: 7 }],
    [{ created_at: 1, _id: 0 }, { created_at: expect.stringMatching(/Z$/) }],
    [{ 'title.x': 1, _id: 0 }, {}],
  ])('with the fields %j returns only these', async (fields, expected) => {
    const { body } = await post({ filter: { n: 1 }, fields });
    expect(body.records).toEqual([expected]);
    const text = encodeURIComponent(JSON.stringify(fields));
    const query = await app.request('GET', `${books.data}?filter={"n":1}&fields=${text}`, books.owner);
    expect(query.body.records).toEqual([expected]);
  });

  it('leaves out excluded fields, also by dotted path', async () => {
    const [whole] = (await post({ filter: { n: 1 } })).body.records;
    const { _id, created_at, title, shelf, ...rest } = whole;
    const exclude = {
      _id: 0,
      created_at: 0,
      title: 0,
      shelf: 0,
      'details.publisher.city': 0,
      'notes.places.town': 0,
    };
    expect((await post({ filter: { n: 1 }, fields: exclude })).body.records).toEqual([
      {
        ...rest,
        details: { publisher: { name: 'Murray' }, pages: [120, 340] },
        notes: { first: 'dry', places: [{}, {}] },
      },
    ]);
    expect((await post({ filter: { n: 1 }, fields: {} })).body.records).toEqual([whole]);
  });

  it('pages by limit and page', async () => {
    expect(await ns({ limit: 2, page: 1 })).toEqual([1, 2]);
    expect(await ns({ limit: 2, page: 3 })).toEqual([5]);
    expect(await ns({ limit: 2, page: 4 })).toEqual([]);
    expect((await post({ limit: 2, page: 1_000_000_000 })).body).toEqual({ count: 0, records: [] });
  });

  it('counts all matching records if with_total is set', async () => {
    const { body } = await post({ filter: { n: { $gt: 1 } }, limit: 2, with_total: true });
    expect([body.count, body.total]).toEqual([2, 4]);
    expect((await post({ filter: { n: 99 }, with_total: true })).body).toEqual({
      count: 0,
      total: 0,
      records: [],
    });
    expect((await post({ with_total: true, page: 9 })).body).toEqual({ count: 0, total: 5, records: [] });
    expect((await post({ with_total: false })).body).not.toHaveProperty('total');
  });

  describe('cursor', () => {
    let many: TestCollection;
    beforeAll(async () => {
      many = await newCollection(app, home, {
        properties: { ...EVERY_TYPE, name: { type: 'text', nullable: false } },
      });
      const records = Array.from({ length: 57 }, (_, n) => ({
        n,
        name: `name ${n % 5}`,
        ...(n % 3 !== 0 && { year: n % 7 }),
        ...(n % 4 !== 0 && { price: (n % 3) / 10 }),
        ...(n % 2 === 0 && { read_at: `2026-01-0${(n % 5) + 1}T00:00:00.00${n % 3}Z`, lent: n % 4 === 0 }),
        ...(n % 5 !== 0 && { mixed: [n % 4, `t${n % 4}`, true, [n % 2], { k: n % 3 }, null][n % 6] }),
        details: n % 6 === 0 ? null : { rank: n % 4 === 0 ? -n : n % 3 },
      }));
      await insert(app, many, ...records);
    });

    const walk = async (query: object, limit: number): Promise<unknown[]> => {
      const seen: unknown[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { status, body } = await post({ ...query, limit, cursor }, many);
        expect(status).toBe(200);
        expect(body.records.length).toBeGreaterThan(0);
        seen.push(...body.records.map((record: Found) => record.n));
        cursor = body.next_cursor;
        expect(cursor === null || body.count === limit).toBe(true);
      }
      return seen;
    };

    it.each<object>([
      {},
      { sort: { _id: -1 } },
      { sort: { n: 1 } },
      { sort: { name: 1 } },
      { sort: { name: -1 } },
      { sort: { year: 1 } },
      { sort: { year: -1 } },
      { sort: { price: 1, year: -1 } },
      { sort: { lent: -1, price: 1 } },
      { sort: { read_at: 1 } },
      { sort: { read_at: -1, name: 1 } },
      { sort: { mixed: 1 } },
      { sort: { mixed: -1 } },
      { sort: { mixed: 1, year: -1, name: 1 } },
      { sort: { 'details.rank': 1 } },
      { sort: { 'details.rank': -1, mixed: -1 } },
      { sort: { created_at: -1 } },
      { sort: { year: 1 }, filter: { n: { $gte: 10 }, name: { $ne: 'name 2' } } },
    ])('goes through the list of %j in the order of one long page, with each record once', async query => {
      const { body } = await post({ ...query, limit: 100 }, many);
      const whole = body.records.map((record: Found) => record.n);
      expect(new Set(whole).size).toBe(whole.length);
      for (const limit of [3, 19]) expect(await walk(query, limit)).toEqual(whole);
    });

    it('is null if the list ends at the end of a page', async () => {
      const { body } = await post({ limit: 57, cursor: '' }, many);
      expect([body.count, body.next_cursor]).toEqual([57, null]);
      const none = await post({ cursor: '', filter: { n: -1 } }, many);
      expect(none.body).toEqual({ count: 0, next_cursor: null, prev_cursor: null, records: [] });
    });

    it('is stable while records are inserted and deleted', async () => {
      const collection = await newCollection(app, home);
      const ids = await insert(app, collection, ...Array.from({ length: 10 }, (_, n) => ({ n })));
      const first = await post({ cursor: '', limit: 4, sort: { n: 1 } }, collection);
      await app.request('DELETE', `${collection.data}/${ids[3]}`, collection.owner);
      await insert(app, collection, { n: 0.5 }, { n: 4.5 });
      const rest = { cursor: first.body.next_cursor, limit: 100, sort: { n: 1 } };
      expect(await ns(rest, collection)).toEqual([4, 4.5, 5, 6, 7, 8, 9]);
    });

    it('continues by GET where POST stopped', async () => {
      const filter = { n: { $gt: 3 } };
      const first = await post({ cursor: '', limit: 2, filter, sort: { n: -1 } }, many);
      const query = new URLSearchParams({
        cursor: first.body.next_cursor,
        filter: JSON.stringify(filter),
        sort: '{"n":-1}',
        limit: '2',
      });
      const second = await app.request('GET', `${many.data}?${query}`, many.owner);
      expect(second.body.records.map((record: Found) => record.n)).toEqual([54, 53]);
    });

    it('reveals nothing about the data', async () => {
      const { body } = await post({ cursor: '', limit: 2 }, many);
      expect(body.next_cursor).toMatch(/^[A-Za-z0-9_-]+$/);
    });

    it('is refused for another filter, sort or collection, and when it was changed', async () => {
      const query = { filter: { n: { $gt: 3 } }, sort: { year: 1 } };
      const cursor: string = (await post({ ...query, cursor: '', limit: 2 }, many)).body.next_cursor;
      const other = await newTypedCollection(app, home);
      const flipped = (at: number) => {
        const bytes = Buffer.from(cursor, 'base64url');
        bytes[at] = (bytes[at] as number) ^ 1;
        return bytes.toString('base64url');
      };
      const refused: [object, TestCollection][] = [
        [{ ...query, filter: { n: { $gt: 4 } }, cursor }, many],
        [{ sort: query.sort, cursor }, many],
        [{ ...query, sort: { year: -1 }, cursor }, many],
        [{ filter: query.filter, cursor }, many],
        [{ ...query, cursor }, other],
        [{ ...query, cursor: flipped(0) }, many],
        [{ ...query, cursor: flipped(15) }, many],
        [{ ...query, cursor: flipped(16) }, many],
        [{ ...query, cursor: flipped(30) }, many],
        [{ ...query, cursor: cursor.slice(0, -4) }, many],
        [{ ...query, cursor: cursor.slice(0, 5) }, many],
        [{ ...query, cursor: 'x' }, many],
        [{ ...query, cursor: Buffer.from('["x"]').toString('base64url') }, many],
        [{ ...query, cursor: 7 }, many],
        [{ ...query, cursor: null }, many],
        [{ ...query, cursor, page: 1 }, many],
        [{ ...query, cursor: '', page: 2 }, many],
        [{ ...query, cursor: 'x'.repeat(10_000) }, many],
      ];
      for (const [body, collection] of refused) {
        expect(outcome(await post(body, collection))).toEqual([400, 'InvalidArguments']);
      }
      expect((await post({ ...query, cursor, limit: 5 }, many)).status).toBe(200);
    });
  });

  it.each<[object | unknown[] | string | null, string]>([
    [{ limit: 0 }, 'limit'],
    [{ limit: 101 }, 'limit'],
    [{ limit: '5' }, 'limit'],
    [{ limit: 1.5 }, 'limit'],
    [{ limit: 1e300 }, 'limit'],
    [{ limit: null }, 'limit'],
    [{ page: 0 }, 'page'],
    [{ page: 1e300 }, 'page'],
    [{ page: '1' }, 'page'],
    [{ with_total: 'true' }, 'with_total'],
    [{ offset: 1 }, 'offset'],
    [{ filter: [] }, 'filter'],
    [{ filter: 'x' }, 'filter'],
    [{ filter: null }, 'filter'],
    [{ filter: { $where: '1' } }, '$where'],
    [{ filter: { a: { $function: {} } } }, '$function'],
    [{ filter: { $expr: {} } }, '$expr'],
    [{ filter: { a: { '$gt; DROP TABLE x': 1 } } }, '$gt; DROP'],
    [{ filter: { 'a..b': 1 } }, 'a..b'],
    [{ filter: { 'a.$b': 1 } }, '$b'],
    [{ filter: { printed: 'yesterday' } }, 'yesterday'],
    [{ filter: { read_at: { $gt: 'soon' } } }, 'soon'],
    [{ filter: { title: { $regex: '(' } } }, '$regex'],
    [{ filter: { 'details.x': { $regex: '(' } } }, '$regex'],
    [{ filter: { title: { $regex: 'x'.repeat(1001) } } }, '$regex'],
    [{ filter: { title: { $in: Array.from({ length: 10_001 }, () => 1) } } }, '$in'],
    [{ filter: { title: { $in: 'x' } } }, '$in'],
    [{ filter: { title: 'a\0b' } }, 'NUL'],
    [{ filter: { 'a\0b': 1 } }, 'NUL'],
    [{ filter: { a: '\ud800' } }, 'surrogate'],
    [{ sort: [] }, 'sort'],
    [{ sort: 'title' }, 'sort'],
    [{ sort: { title: 2 } }, 'title'],
    [{ sort: { title: 'asc' } }, 'title'],
    [{ sort: { $title: 1 } }, '$title'],
    [{ sort: { '': 1 } }, 'empty'],
    [{ sort: null }, 'sort'],
    [{ fields: { a: 1, b: 0 } }, 'fields'],
    [{ fields: { a: 2 } }, 'fields'],
    [{ fields: 'a' }, 'fields'],
    [{ fields: [7] }, 'string'],
    [{ fields: { a: 1, 'a.b': 1 } }, 'overlap'],
    [{ fields: null }, 'fields'],
    [[], 'object'],
    ['x', 'object'],
    [null, 'object'],
  ])('refuses %j', async (body, says) => {
    const answer = await post(body);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(says);
  });

  it('stops a regular expression that takes too long, without affecting others', async () => {
    const collection = await newTypedCollection(app, home);
    await insert(app, collection, { title: 'x'.repeat(301) });
    const url = app.settings.DATABASE_URL as string;
    const hasty = await startOwnApp({
      database: { url },
      environment: { DATABASE_STATEMENT_TIMEOUT_MS: '2000' },
    });
    try {
      const key = { key: (await newKey(app, home.org)).apiKey };
      const search = (filter: object) =>
        hasty.request('POST', `${collection.data}/query`, { ...key, body: { filter } });
      const slow = { title: { $regex: '^(x*)(x*)(x*)(x*)\\1\\2\\3\\4$' } };
      const answers = await Promise.all([search(slow), search({}), search({ title: { $regex: '^x+$' } })]);
      expect(answers.map(outcome)).toEqual([
        [400, 'QueryTimeout'],
        [200, undefined],
        [200, undefined],
      ]);
    } finally {
      await hasty.close();
    }
  });
});
