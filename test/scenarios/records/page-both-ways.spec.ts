import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  type Home,
  insert,
  newCollection,
  newHome,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';

type Found = { _id: string; place: number };

const COUNT = 23;
/** Longer than a cursor may be, so that it names the record instead of its values. */
const LONG = 'wörd '.repeat(500);

let app: TestApp;
let home: Home;
let things: TestCollection;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
  things = await newCollection(app, home, {
    properties: {
      place: { type: 'integer' },
      kind: { type: 'text', nullable: false },
      size: { type: 'integer' },
      day: { type: 'date' },
      seen: { type: 'datetime' },
      label: { type: 'text' },
    },
    indexes: [{ properties: ['size'] }, { properties: ['label'] }],
  });
  await insert(
    app,
    things,
    ...Array.from({ length: COUNT }, (_, place) => ({
      place,
      kind: `kind ${place % 3}`,
      size: place % 5 === 0 ? null : place % 7,
      label: place % 4 === 0 ? null : `${LONG}${place % 3}`,
      day: `2026-01-${10 + (place % 9)}`,
      seen: `2026-01-01T00:00:${10 + (place % 9)}.5Z`,
      loose: [null, 'text', place, true, [place, 5], { a: place }][place % 6],
      deep: { weight: place % 2 === 0 ? place / 4 : undefined },
    })),
  );
});

const post = (body: object, { data, owner } = things) =>
  app.request('POST', `${data}/query`, { ...owner, body });
async function page(query: object) {
  const { status, body } = await post(query);
  expect([status, body.count]).toEqual([200, body.records?.length]);
  return body;
}
const places = (records: Found[]) => records.map(({ place }) => place);

const SORTS = [
  {},
  { kind: 1 },
  { kind: -1 },
  { size: 1 },
  { size: -1 },
  { label: 1 },
  { label: -1, kind: 1 },
  { loose: 1 },
  { loose: -1 },
  { 'deep.weight': 1, size: -1 },
  { size: 1, kind: -1, day: 1 },
  { _id: -1 },
];

describe.each(SORTS)('pages in the order of %j', sort => {
  const query = { sort, filter: { place: { $gte: 2 } } };

  it.each([1, 4, 7, 21])('with %i records each are the same forward and backward', async limit => {
    const all = places((await page({ ...query, cursor: '', limit: 1_000 })).records);
    expect(all).toHaveLength(COUNT - 2);
    const [forward, backward]: [number[], number[]] = [[], []];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { records, next_cursor, prev_cursor } = await page({ ...query, limit, cursor });
      expect(prev_cursor === null).toBe(forward.length === 0);
      if (prev_cursor !== null) {
        const before = await page({ ...query, limit, cursor: prev_cursor });
        expect(places(before.records)).toEqual(forward.slice(-limit));
        const again = await page({ ...query, limit, cursor: before.next_cursor });
        expect(again.records).toEqual(records);
      }
      forward.push(...places(records));
      cursor = next_cursor;
    }
    for (let cursor: string | null = 'end'; cursor !== null; ) {
      const { records, next_cursor, prev_cursor } = await page({ ...query, limit, cursor });
      expect(next_cursor === null).toBe(backward.length === 0);
      backward.unshift(...places(records));
      cursor = prev_cursor;
    }
    expect([forward, backward]).toEqual([all, all]);
  });
});

describe('a cursor', () => {
  it('is null in both directions when everything fits into one page, and when there is nothing', async () => {
    for (const cursor of ['', 'end']) {
      expect(await page({ cursor, limit: 100 })).toMatchObject({
        count: COUNT,
        next_cursor: null,
        prev_cursor: null,
      });
      expect(await page({ cursor, filter: { place: -1 } })).toEqual({
        count: 0,
        next_cursor: null,
        prev_cursor: null,
        records: [],
      });
    }
  });

  it('is in the query string too, and counts all records if that is requested', async () => {
    const answer = await app.request('GET', `${things.data}?cursor=end&limit=2`, home.owner);
    expect(places(answer.body.records)).toEqual([COUNT - 2, COUNT - 1]);
    const counted = await page({ cursor: answer.body.prev_cursor, limit: 2, with_total: true });
    expect([places(counted.records), counted.total]).toEqual([[COUNT - 4, COUNT - 3], COUNT]);
  });

  it('leads to the end or the beginning when all records in its direction are gone', async () => {
    const own = await newCollection(app, home);
    const ids = await insert(app, own, ...Array.from({ length: 6 }, (_, place) => ({ place })));
    const remove = (some: string[]) =>
      Promise.all(some.map(id => app.request('DELETE', `${own.data}/${id}`, own.owner)));
    const second = (await post({ cursor: 'end', limit: 2 }, own)).body;
    const middle = (await post({ cursor: second.prev_cursor, limit: 2 }, own)).body;
    expect([places(middle.records), places(second.records)]).toEqual([
      [2, 3],
      [4, 5],
    ]);
    await remove(ids.slice(4));
    const after = (await post({ cursor: middle.next_cursor, limit: 2 }, own)).body;
    expect(after).toEqual({ count: 0, next_cursor: null, prev_cursor: 'end', records: [] });
    await remove(ids.slice(0, 2));
    const before = (await post({ cursor: middle.prev_cursor, limit: 2 }, own)).body;
    expect(before).toEqual({ count: 0, next_cursor: '', prev_cursor: null, records: [] });
  });

  it('ends a page early when the response would be too long, and goes on backward', async () => {
    const own = await newCollection(app, home);
    const text = 'x'.repeat(3_000_000);
    for (let place = 0; place < 9; place++) await insert(app, own, { place, text });
    const read: number[] = [];
    let pages = 0;
    for (let cursor: string | null = 'end'; cursor !== null; pages++) {
      const { body }: { body: { records: Found[]; prev_cursor: string | null } } = await post(
        { cursor, limit: 9 },
        own,
      );
      read.unshift(...places(body.records));
      cursor = body.prev_cursor;
    }
    expect(read).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(pages).toBeGreaterThan(1);
  });

  it.each(['next_cursor', 'prev_cursor'])(
    'of long values is refused as %s once its record changes',
    async name => {
      const own = await newCollection(app, home);
      const [, middle] = await insert(
        app,
        own,
        { label: `${LONG}1` },
        { label: `${LONG}2` },
        { label: `${LONG}3` },
      );
      const query = { sort: { label: 1 }, limit: 1 };
      const first = (await post({ ...query, cursor: '' }, own)).body;
      const { body } = await post({ ...query, cursor: first.next_cursor }, own);
      expect((await post({ ...query, cursor: body[name] }, own)).body.count).toBe(1);
      await app.request('PATCH', `${own.data}/${middle}`, { ...own.owner, body: { label: `${LONG}4` } });
      const refused = await post({ ...query, cursor: body[name] }, own);
      expect(outcome(refused)).toEqual([400, 'InvalidArguments']);
      expect(refused.body.message).toContain('cursor');
    },
  );

  it('of a previous page belongs to its filter and sort, and cannot be altered', async () => {
    const query = { filter: { place: { $gt: 3 } }, sort: { size: 1 }, limit: 3 };
    const { prev_cursor: cursor } = await page({ ...query, cursor: 'end' });
    const bytes = Buffer.from(cursor, 'base64url');
    bytes[3]! ^= 1;
    for (const other of [
      { ...query, sort: { size: -1 }, cursor },
      { ...query, filter: { place: { $gt: 4 } }, cursor },
      { ...query, cursor: bytes.toString('base64url') },
      { ...query, cursor: 'END' },
      { ...query, cursor: 'end', page: 1 },
    ]) {
      const refused = await post(other);
      expect(outcome(refused)).toEqual([400, 'InvalidArguments']);
    }
    expect((await post({ ...query, cursor })).status).toBe(200);
  });
});

describe('limit', () => {
  it.each([
    [{ limit: 101 }, 400],
    [{ limit: 101, page: 1 }, 400],
    [{ limit: 1_001, cursor: '' }, 400],
    [{ limit: 0, cursor: '' }, 400],
    [{ limit: 1_000, cursor: '' }, 200],
    [{ limit: 1_000, cursor: 'end' }, 200],
    [{ limit: 1_000, at: 1, sort: { size: 1 } }, 200],
    [{ limit: 100 }, 200],
  ])('%j gets %i', async (query, status) => {
    const answer = await post(query);
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body.message).toContain('limit');
  });

  it('of 1,000 returns as many records in one page', async () => {
    const own = await newCollection(app, home);
    for (const half of [0, 1])
      await insert(app, own, ...Array.from({ length: 600 }, (_, n) => ({ place: half * 600 + n })));
    const first = (await post({ limit: 1_000, cursor: '' }, own)).body;
    expect(first.count).toBe(1_000);
    const rest = (await post({ limit: 1_000, cursor: first.next_cursor }, own)).body;
    expect([rest.count, rest.next_cursor]).toEqual([200, null]);
  });
});

describe('at', () => {
  /** What each field of the first record should be, or null for an empty page. */
  const CASES: [object, unknown, unknown][] = [
    [{ size: 1 }, 3, { size: 3 }],
    [{ size: 1 }, 2.5, { size: 3 }],
    [{ size: 1 }, -9, { size: 0 }],
    [{ size: 1 }, 7, null],
    [{ size: 1 }, null, { size: null }],
    [{ size: -1 }, 3, { size: 3 }],
    [{ size: -1 }, 2.5, { size: 2 }],
    [{ size: -1 }, -1, { size: null }],
    [{ size: -1 }, null, { size: null }],
    [{ kind: 1 }, 'kind 1', { kind: 'kind 1' }],
    [{ kind: 1 }, 'kind 0!', { kind: 'kind 1' }],
    [{ kind: -1 }, 'kind 1!', { kind: 'kind 1' }],
    [{ kind: -1 }, 'a', null],
    [{ day: 1 }, '2026-01-12', { day: '2026-01-12' }],
    [{ day: -1 }, '2026-01-12', { day: '2026-01-12' }],
    [{ seen: 1 }, '2026-01-01T00:00:12Z', { seen: '2026-01-01T00:00:12.500Z' }],
    [{ seen: -1 }, '2026-01-01', null],
    [{ loose: 1 }, null, { loose: null }],
    [{ loose: 1 }, 8, { loose: 8 }],
    [{ loose: 1 }, 'a', { loose: 'text' }],
    [{ loose: 1 }, true, { loose: true }],
    [{ loose: -1 }, 'z', { loose: 'text' }],
    [{ 'deep.weight': 1 }, 2.1, { deep: { weight: 2.5 } }],
  ];
  it.each(CASES)('with sort %j and %j begins at %j', async (sort, at, first) => {
    const query = { sort, limit: 5 };
    const all: Found[] = (await page({ sort, cursor: '', limit: 1_000 })).records;
    const { records, prev_cursor, next_cursor } = await page({ ...query, at });
    if (first === null) {
      expect([records, next_cursor, prev_cursor]).toEqual([[], null, 'end']);
      return;
    }
    expect(records[0]).toMatchObject(first as object);
    const index = all.findIndex(({ _id }) => _id === records[0]._id);
    expect(records).toEqual(all.slice(index, index + 5));
    expect(prev_cursor === null).toBe(index === 0);
    if (index > 0) {
      const before = await page({ ...query, cursor: prev_cursor });
      expect(before.records).toEqual(all.slice(Math.max(0, index - 5), index));
      expect(before.records.at(-1)).not.toMatchObject(first as object);
    }
    if (next_cursor !== null) {
      const after = await page({ ...query, cursor: next_cursor });
      expect(after.records).toEqual(all.slice(index + 5, index + 10));
    }
  });

  it('begins at an id, in the query string too, with a filter and with an empty cursor', async () => {
    const { records } = await page({ cursor: '', limit: 5 });
    const at = records[3]._id;
    const parameters = new URLSearchParams({ sort: '{"_id":1}', at: JSON.stringify(at), cursor: '' });
    const { body } = await app.request('GET', `${things.data}?${parameters}`, home.owner);
    expect(body.records[0]._id).toBe(at);
    const filtered = await page({ sort: { _id: 1 }, at, filter: { place: { $gt: 2 } }, with_total: true });
    expect([filtered.prev_cursor, filtered.records[0]._id, filtered.total]).toEqual([null, at, COUNT - 3]);
  });

  it.each<[string, object]>([
    ['no sort', { at: 1 }],
    ['a sort by two fields', { at: 1, sort: { size: 1, kind: 1 } }],
    ['an empty sort', { at: 1, sort: {} }],
    ['a page', { at: 1, sort: { size: 1 }, page: 1 }],
    ['the cursor of the end', { at: 1, sort: { size: 1 }, cursor: 'end' }],
    ['a list', { at: [1], sort: { size: 1 } }],
    ['an object', { at: {}, sort: { size: 1 } }],
    ['a text for an integer', { at: '1', sort: { size: 1 } }],
    ['a number for a text', { at: 1, sort: { kind: 1 } }],
    ['a text that is not a date', { at: 'soon', sort: { day: 1 } }],
    ['a text that is not an instant', { at: 'soon', sort: { seen: 1 } }],
    ['a text that is not an id', { at: 'soon', sort: { _id: 1 } }],
  ])('is refused with %s', async (_, query) => {
    const refused = await post(query);
    expect(outcome(refused)).toEqual([400, 'InvalidArguments']);
    expect(refused.body.message).toContain('at');
  });
});
