import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Home, newCollection, newHome, type TestCollection } from '../../harness/collection.js';

const ROWS = 2_345;

describe('a page with a high number', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    books = await newCollection(app, home, {
      properties: { year: { type: 'integer' }, title: { type: 'text' } },
      indexes: [{ properties: ['year'] }],
    });
    const records = Array.from({ length: ROWS }, (_, n) => ({
      year: n % 7 === 0 ? null : n % 100,
      title: `Book ${n} ${'x'.repeat(50)}`,
      shelf: n % 3,
    }));
    const { status } = await app.request('POST', `${books.data}/bulk`, { ...home.owner, body: { records } });
    expect(status).toBe(201);
  });

  const query = async (body: object) =>
    (await app.request('POST', `${books.data}/query`, { ...home.owner, body })).body;

  /** All records of a query, read by cursor. */
  const all = async (body: object): Promise<unknown[]> => {
    const found: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await query({ ...body, cursor, limit: 1000 });
      found.push(...page.records);
      cursor = page.next_cursor;
    }
    return found;
  };

  it.each<[string, object]>([
    ['in the order of insertion', {}],
    ['sorted by a field with an index', { sort: { year: 1 } }],
    ['sorted in descending order', { sort: { year: -1 } }],
    ['sorted by a flexible field', { sort: { shelf: -1, year: 1 } }],
    ['of a filter', { filter: { shelf: { $ne: 0 } }, sort: { year: 1 } }],
    ['of some fields', { fields: ['title'], sort: { year: 1 } }],
    ['with cut values and tags', { preview: 20, with_etags: true, sort: { year: -1 } }],
  ])('has the records that are at its place in the list: %s', async (_, body) => {
    const list = await all(body);
    for (const page of [10, 11, 12, 15, Math.ceil(list.length / 100), Math.ceil(list.length / 100) + 1]) {
      const { records } = await query({ ...body, page, limit: 100 });
      expect(records).toEqual(list.slice((page - 1) * 100, page * 100));
    }
  });

  it('counts all records too', async () => {
    const page = await query({ page: 24, limit: 100, with_total: true });
    expect([page.count, page.total]).toEqual([45, ROWS]);
    expect((await query({ page: 25, limit: 100, with_total: true })).total).toBe(ROWS);
  });
});
