import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  EMMA,
  type Home,
  insert,
  newHome,
  newTypedCollection,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';

// search-records.spec.ts tests filters, sorting and projection, with GET as well.
describe('GET /v1/collections/{collection_id}/data', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    books = await newTypedCollection(app, home);
    await insert(app, books, { ...EMMA, n: 1 }, { title: 'Ulysses', n: 2 }, { n: 3 });
  });

  const get = (query: string) => app.request('GET', `${books.data}${query}`, books.owner);

  it('returns count and records, without cursor and total', async () => {
    const { status, body } = await get('');
    expect(status).toBe(200);
    expect(body).toEqual({
      count: 3,
      records: [expect.objectContaining({ ...EMMA, n: 1 }), expect.anything(), expect.anything()],
    });
  });

  it('reads filter, sort and fields as JSON, limit and page as numbers', async () => {
    const query = new URLSearchParams({
      filter: '{"n":{"$lte":2}}',
      sort: '{"n":-1}',
      fields: '{"n":1,"_id":0}',
      limit: '1',
      page: '2',
    });
    expect((await get(`?${query}`)).body).toEqual({ count: 1, records: [{ n: 1 }] });
  });

  it('starts with an empty cursor, and ends with null', async () => {
    const first = await get('?cursor=&limit=2');
    expect(first.body.records.map((record: { n: number }) => record.n)).toEqual([1, 2]);
    const second = await get(`?cursor=${first.body.next_cursor}&limit=2`);
    expect(second.body).toMatchObject({ count: 1, next_cursor: null, records: [{ n: 3 }] });
  });

  it('answers HEAD like GET, without a body', async () => {
    const [head, body] = [await app.request('HEAD', books.data, books.owner), await get('')];
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(body.text)));
  });

  it.each([
    ['filter={', 'filter'],
    ['filter=', 'filter'],
    ['filter=[]', 'filter'],
    ['filter=7', 'filter'],
    ['filter="x"', 'filter'],
    ['filter=null', 'filter'],
    ['filter=title', 'filter'],
    ['filter={"__proto__":1}', '__proto__'],
    ['filter={"a":1e999}', 'range'],
    ['filter={}&filter={}', 'filter'],
    ['sort=title', 'sort'],
    ['sort={"title":"desc"}', 'title'],
    ['sort={"n":1}&sort={"n":1}', 'sort'],
    ['fields=title', 'fields'],
    ['fields={"a":1,"b":0}', 'fields'],
    ['fields=title&fields=n', 'fields'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=abc', 'limit'],
    ['limit=1&limit=1', 'limit'],
    ['limit=0x10', 'limit'],
    ['limit=%31%30%00', 'limit'],
    ['page=0', 'page'],
    ['page=-5', 'page'],
    ['cursor=x', 'cursor'],
    ['cursor=&page=1', 'cursor'],
    ['cursor=&cursor=', 'cursor'],
    ['with_total=true', 'with_total'],
    ['where=1', 'where'],
    ['filter[a]=1', 'filter[a]'],
    ['filter={"a":"%00"}', 'filter'],
    ['filter={"a":"%FF"}', 'UTF-8'],
    ['filter={"a":"%E0%A4%A"}', 'UTF-8'],
    ['filter=%7B%7D&fil%C3=1', 'UTF-8'],
  ])('refuses ?%s', async (query, says) => {
    const answer = await get(`?${query}`);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(says);
  });
});
