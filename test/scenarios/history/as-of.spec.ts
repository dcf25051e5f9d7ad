import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  EMMA,
  EVERY_TYPE,
  type Home,
  insert,
  newCollection,
  newHome,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { send, succeed } from '../../harness/collection-requests.js';

/** Reads of every kind. With `as_of` each must answer as it did at that instant. */
const READS: Readonly<Record<string, { method: string; path: string; body?: object }>> = {
  'a filter on columns and flexible fields, sorted': {
    method: 'POST',
    path: '/data/query',
    body: {
      filter: { $or: [{ year: { $gte: 1815 } }, { 'notes.first': 'dry' }, { tags: 'novel' }] },
      sort: { year: -1, title: 1 },
      with_total: true,
    },
  },
  'a page with a preview': { method: 'POST', path: '/data/query', body: { preview: 20, sort: { title: 1 } } },
  'a text search': { method: 'POST', path: '/data/query', body: { filter: { $search: 'emma' } } },
  'some fields': { method: 'POST', path: '/data/query', body: { fields: { year: 1, shelf: 1 } } },
  'a count': { method: 'GET', path: `/data/count?filter=${encodeURIComponent('{"lent":true}')}` },
  'distinct values': { method: 'GET', path: '/data/distinct?field=tags' },
  'an aggregate': {
    method: 'POST',
    path: '/data/aggregate',
    body: {
      steps: [
        { type: 'count', output_field: 'n' },
        { type: 'sum', input_field: 'price', output_field: 'total' },
      ],
      group_by: 'lent',
    },
  },
  'an export': { method: 'GET', path: '/export?format=ndjson' },
};

describe('as_of', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  const write = (collection: TestCollection, method: string, path: string, body?: object) =>
    succeed(app, collection, method, `/data${path}`, body);

  const answers = async (collection: TestCollection, asOf?: string) => {
    const found: Record<string, unknown> = {};
    for (const [name, { method, path, body }] of Object.entries(READS)) {
      const when = asOf === undefined ? '' : `${path.includes('?') ? '&' : '?'}as_of=${asOf}`;
      const answer = await (body === undefined
        ? send(app, collection, method, path + when)
        : send(app, collection, method, path, { ...body, ...(asOf && { as_of: asOf }) }));
      expect([name, ...outcome(answer)]).toEqual([name, 200, undefined]);
      found[name] = name === 'an export' ? lines(answer.text) : answer.body;
    }
    return found;
  };

  it('answers every read as it was answered at that instant, whatever was written since', async () => {
    const collection = await newCollection(app, home, {
      properties: EVERY_TYPE,
      uniques: [{ properties: ['title'] }],
    });
    const books = Array.from({ length: 12 }, (_, n) => ({
      ...EMMA,
      title: `Emma ${n}`,
      year: 1810 + n,
      lent: n % 2 === 0,
      price: n / 4,
    }));
    const ids = await insert(app, collection, ...books);
    const WRITES: readonly (() => Promise<unknown>)[] = [
      () => write(collection, 'PATCH', `/${ids[0]}`, { $set: { year: 1, shelf: 'a' }, $inc: { price: 2 } }),
      () => write(collection, 'PATCH', `/${ids[1]}`, { $push: { tags: 'new' }, $unset: { notes: 1 } }),
      () => write(collection, 'PATCH', '', { filter: { lent: true }, update: { $set: { lent: false } } }),
      () => write(collection, 'DELETE', `/${ids[2]}`),
      () =>
        write(collection, 'POST', '/upsert', { data: { title: 'Emma 3', year: 3 }, match_fields: ['title'] }),
      () =>
        write(collection, 'POST', '/bulk', {
          upsert_key: 'title',
          records: [
            { title: 'Emma 4', year: 4 },
            { title: 'New', year: 5 },
          ],
        }),
      () =>
        write(collection, 'POST', '/batch', {
          operations: [
            { update: { _id: ids[5], update: { $set: { title: 'Emma 6' } } } },
            { update: { _id: ids[6], update: { $set: { title: 'Emma 5' } } } },
            { delete: { _id: ids[7] } },
            { insert: { title: 'Batch', tags: ['b'] } },
          ],
        }),
      () =>
        write(collection, 'PATCH', '', {
          filter: { year: { $gt: 1800 } },
          update: { $push: { tags: 'all' } },
        }),
      () => write(collection, 'PATCH', `/${ids[5]}`, { $set: { title: 'Emma 5b' } }),
      () => write(collection, 'PATCH', `/${ids[5]}`, { $set: { title: 'Emma 5c' } }),
    ];
    const seen: { at: string; found: object }[] = [];
    const look = async () => {
      await pause(5);
      const at = new Date().toISOString();
      await pause(5);
      seen.push({ at, found: await answers(collection) });
    };
    await look();
    for (const change of WRITES) {
      await change();
      await look();
    }
    for (const { at, found } of seen)
      expect({ at, found: await answers(collection, at) }).toEqual({ at, found });
  });

  it('reads pages with cut values and positions, as a grid does', async () => {
    const collection = await newCollection(app, home, { properties: EVERY_TYPE });
    const ids = await insert(app, collection, EMMA, { ...EMMA, title: 'Emma '.repeat(20) });
    await pause(5);
    const at = new Date().toISOString();
    await pause(5);
    await write(collection, 'PATCH', `/${ids[1]}`, { $set: { title: 'Persuasion' } });
    const body = { preview: 20, with_etags: true, sort: { title: 1 }, cursor: '', as_of: at };
    const answer = await send(app, collection, 'POST', '/data/query', body);
    expect(outcome(answer)).toEqual([200, undefined]);
    expect(answer.body.records).toMatchObject([
      { title: 'Emma' },
      { title: 'Emma Emma Emma Emma ', _cut: expect.arrayContaining(['title']) },
    ]);
  });

  it('reads pages of the past in both directions, sorted by a field with equal values', async () => {
    const collection = await newCollection(app, home, {
      properties: { year: { type: 'integer' } },
      indexes: [{ properties: ['year'] }],
    });
    const ids = await insert(app, collection, ...[3, 1, 2, 1, 3, 2, 1].map(year => ({ year })));
    await pause(5);
    const as_of = new Date().toISOString();
    await pause(5);
    const list = { filter: { year: { $in: [1, 2, 3] } }, sort: { year: -1 }, limit: 2 };
    const walk = async (first: string, next: 'next_cursor' | 'prev_cursor', more: object) => {
      const pages: string[][] = [];
      for (let cursor: string | null = first; cursor !== null; ) {
        const page = await succeed(app, collection, 'POST', '/data/query', { ...list, cursor, ...more });
        pages.push(page.records.map(({ _id }: { _id: string }) => _id));
        cursor = page[next];
      }
      return pages;
    };
    const walks = async (more: object) => [
      await walk('', 'next_cursor', more),
      await walk('end', 'prev_cursor', more),
    ];
    const present = await walks({});
    expect(present[0]?.flat().toSorted()).toEqual(ids.toSorted());
    await write(collection, 'PATCH', '', { filter: { year: { $gt: 1 } }, update: { $inc: { year: -2 } } });
    await write(collection, 'DELETE', `/${ids[3]}`);
    expect(await walks({ as_of })).toEqual(present);
  });

  it('sends no entity tags, neither of replaced versions nor of records that are still the same', async () => {
    const collection = await newCollection(app, home);
    const ids = await insert(app, collection, { n: 1 }, { n: 2 });
    await pause(5);
    const at = new Date().toISOString();
    await pause(5);
    await write(collection, 'PATCH', `/${ids[1]}`, { n: 3 });
    const tagsOf = async (asOf: object) => {
      const reads = { with_etags: true, ...asOf };
      const pages = await Promise.all(
        [{}, { preview: 20 }].map(more =>
          send(app, collection, 'POST', '/data/query', { ...reads, ...more }).then(
            ({ body }) => body.records,
          ),
        ),
      );
      const query = new URLSearchParams({ ...asOf });
      const single = await Promise.all(ids.map(id => send(app, collection, 'GET', `/data/${id}?${query}`)));
      return [
        ...pages.flat().map((record: { _etag?: string }) => record._etag ?? null),
        ...single.map(({ headers }) => headers.get('etag')),
      ];
    };
    expect(await tagsOf({})).toEqual(Array(6).fill(expect.any(String)));
    expect(await tagsOf({ as_of: at })).toEqual(Array(6).fill(null));
  });
});

function lines(text: string): unknown[] {
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line));
}
