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
import { connect } from '../mcp/client.js';

type Found = { _id: string; n: number };

/** 7,000 characters: two such values exceed the header limit of a GET. */
const COMMON = 'wörd '.repeat(1_400);
/** The maximum length of a cursor, whatever the values are. */
const LONGEST_CURSOR = 1_500;
const COUNT = 11;

describe('a cursor of records with long sort values', () => {
  let app: TestApp;
  let home: Home;
  let notes: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    notes = await newNotes();
    await insert(
      app,
      notes,
      ...Array.from({ length: COUNT }, (_, n) => ({
        n,
        ...(n % 4 !== 0 && { note: n % 5 === 0 ? 'short' : `${COMMON}${n % 3}` }),
        label: `${COMMON}${n % 2}`,
        loose: n % 3 === 0 ? null : { text: `${COMMON}${n % 4}` },
        list: [`${COMMON}${n % 4}`, n],
      })),
    );
  });

  const newNotes = () =>
    newCollection(app, home, {
      properties: {
        n: { type: 'integer' },
        note: { type: 'text' },
        label: { type: 'text', nullable: false },
      },
    });
  const post = (body: object, { data, owner } = notes) =>
    app.request('POST', `${data}/query`, { ...owner, body });
  const get = (body: object, { data, owner } = notes) => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(body)) {
      query.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
    }
    return app.request('GET', `${data}?${query}`, owner);
  };

  it.each<[string, object]>([
    ['one text', { note: 1 }],
    ['one text, descending', { note: -1 }],
    ['a text without NULL', { label: 1 }],
    ['a text without NULL, descending', { label: -1 }],
    ['two texts', { note: 1, label: 1 }],
    ['two texts in two directions', { label: -1, note: 1 }],
    ['two texts in two directions, NULL descending', { note: -1, label: 1 }],
    ['a flexible field', { loose: 1 }],
    ['a text inside a flexible field', { 'loose.text': -1, n: 1 }],
    ['an array', { list: 1 }],
    ['an array, descending, and a text', { list: -1, note: -1 }],
  ])('is short and goes through the list once: %s', async (_, sort) => {
    const whole = (await post({ sort, limit: 100, fields: ['n'] })).body.records.map(({ n }: Found) => n);
    expect(new Set(whole).size).toBe(COUNT);
    for (const [send, limit] of [
      [post, 1],
      [get, 1],
      [get, 3],
    ] as const) {
      const seen: number[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { status, body } = await send({ sort, limit, cursor, fields: ['n'] });
        expect(status).toBe(200);
        expect(body.count).toBeGreaterThan(0);
        seen.push(...body.records.map(({ n }: Found) => n));
        cursor = body.next_cursor as string | null;
        expect(cursor?.length ?? 0).toBeLessThanOrEqual(LONGEST_CURSOR);
      }
      expect(seen).toEqual(whole);
    }
  });

  it('is short in MCP too', async () => {
    const { sdk, call } = await connect(app, home.owner);
    const seen: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const args = { collection_id: notes.id, sort: { note: -1, label: 1 }, limit: 2, cursor, fields: ['n'] };
      const { data } = await call('data_query', args);
      seen.push(...data.records.map(({ n }: Found) => n));
      cursor = data.next_cursor;
      expect(cursor?.length ?? 0).toBeLessThanOrEqual(LONGEST_CURSOR);
    }
    await sdk.close();
    expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: COUNT }, (_, n) => n));
  });

  it('is short with many sort fields of moderate length', async () => {
    const wide = await newCollection(app, home);
    const names = Array.from({ length: 32 }, (_, n) => `f${n}`);
    const fields = Object.fromEntries(names.map(name => [name, 'x'.repeat(200)]));
    await insert(app, wide, { ...fields, n: 0 }, { ...fields, n: 1 });
    const query = { sort: Object.fromEntries(names.map(name => [name, 1])), limit: 1 };
    const first = await post({ ...query, cursor: '' }, wide);
    expect(first.body.next_cursor.length).toBeLessThanOrEqual(LONGEST_CURSOR);
    const second = await post({ ...query, cursor: first.body.next_cursor }, wide);
    expect(second.body).toMatchObject({ count: 1, next_cursor: null, records: [{ n: 1 }] });
  });

  it('continues with a total, also past the last matching record', async () => {
    const query = { sort: { label: 1 }, limit: COUNT - 1, with_total: true };
    const first = await post({ ...query, cursor: '' });
    expect(first.body.total).toBe(COUNT);
    const second = await post({ ...query, cursor: first.body.next_cursor });
    expect(second.body).toMatchObject({ count: 1, total: COUNT, next_cursor: null });
  });

  it.each<[string, (app: TestApp, notes: TestCollection, id: string) => Promise<unknown>]>([
    ['deleted', (by, { data, owner }, id) => by.request('DELETE', `${data}/${id}`, owner)],
    [
      'sorted elsewhere',
      (by, { data, owner }, id) => by.request('PATCH', `${data}/${id}`, { ...owner, body: { note: 'a' } }),
    ],
  ])('is refused when the record at its position was %s', async (_, change) => {
    const changing = await newNotes();
    const ids = await insert(
      app,
      changing,
      ...[0, 1, 2].map(n => ({ n, note: `${COMMON}${n}`, label: 'x' })),
    );
    const query = { sort: { note: 1 }, limit: 1 };
    const { next_cursor: cursor } = (await post({ ...query, cursor: '' }, changing)).body;
    await change(app, changing, ids[0] as string);
    const refused = await post({ ...query, cursor }, changing);
    expect(outcome(refused)).toEqual([400, 'InvalidArguments']);
    expect(refused.body.message).toContain('empty cursor');
  });

  it('stays valid while other values of its record, and other records, change', async () => {
    const changing = await newNotes();
    const [first, second] = await insert(
      app,
      changing,
      ...[0, 1, 2].map(n => ({ n, note: `${COMMON}${n}`, label: 'x' })),
    );
    const query = { sort: { note: 1 }, limit: 10 };
    const { next_cursor: cursor } = (await post({ ...query, limit: 1, cursor: '' }, changing)).body;
    const { data, owner } = changing;
    await app.request('PATCH', `${data}/${first}`, { ...owner, body: { label: 'y' } });
    await app.request('DELETE', `${data}/${second}`, owner);
    const rest = await post({ ...query, cursor }, changing);
    expect(rest.body).toMatchObject({ count: 1, next_cursor: null, records: [{ n: 2 }] });
  });
});
