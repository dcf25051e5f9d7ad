import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
  read,
  type TestCollection,
} from '../../harness/collection.js';
import { until } from '../schema/database.js';
import { importFile, NDJSON, upload } from '../transfer/transfer.js';
import { newestEvent, state, undone, writing } from './undo.js';

let app: TestApp;
let home: Home;
beforeAll(async () => {
  const { settings } = await startApp();
  app = await startOwnApp({
    database: { url: settings.DATABASE_URL as string },
    environment: { ALLOW_BULK_DELETE: 'true' },
  });
  home = await newHome(app);
});
afterAll(() => app.close());

const OTHER = {
  title: 'Persuasion',
  year: null,
  price: -0.25,
  lent: true,
  printed: '1817-12-20',
  read_at: '2026-02-01T00:00:00.000Z',
  details: [1, { deep: null }],
  tags: [],
  colour: 'red',
};

/** A collection with three records, one of which was changed before. */
async function shelf(): Promise<{ books: TestCollection; ids: string[] }> {
  const books = await newTypedCollection(app, home, { uniques: [{ properties: ['title'] }] });
  const ids = await insert(app, books, EMMA, OTHER, { title: 'Ulysses', year: 1922 });
  await writing(app, books, 'PATCH', `/data/${ids[2]}`, { $set: { year: 1923, lent: false } });
  return { books, ids };
}

const WRITES: Record<string, (books: TestCollection, ids: string[]) => Promise<string>> = {
  'an insert': books => writing(app, books, 'POST', '/data', { records: [{ title: 'Middlemarch' }, {}] }),
  'an insert of many': books =>
    writing(app, books, 'POST', '/data/bulk', {
      records: Array.from({ length: 1_500 }, (_, n) => ({ title: `T${n}`, n })),
    }),
  'an update of columns and flexible fields': (books, [id]) =>
    writing(app, books, 'PATCH', `/data/${id}`, {
      $set: { ...OTHER, title: 'Sanditon' },
      $unset: { shelf: 1, notes: 1 },
    }),
  'an update that reads the record': (books, [id]) =>
    writing(app, books, 'PATCH', `/data/${id}`, { $push: { tags: 'x' }, $rename: { shelf: 'rack' } }),
  'an update by filter': books =>
    writing(app, books, 'PATCH', '/data', {
      filter: {},
      allow_match_all: true,
      update: { $set: { lent: null, colour: 'blue' } },
    }),
  'an upsert that updates': books =>
    writing(app, books, 'POST', '/data/upsert', {
      match_fields: ['title'],
      data: { title: 'Emma', year: 1 },
    }),
  'an upsert that inserts': books =>
    writing(app, books, 'POST', '/data/upsert', {
      match_fields: ['title'],
      data: { title: 'Emmy', year: 1 },
    }),
  'a bulk upsert': books =>
    writing(app, books, 'POST', '/data/bulk', {
      upsert_key: 'title',
      records: [{ title: 'Emma', year: 2 }, { title: 'Ulysses', more: 1 }, { title: 'New' }],
    }),
  'a large bulk upsert': books =>
    writing(app, books, 'POST', '/data/bulk', {
      upsert_key: 'title',
      records: Array.from({ length: 1_200 }, (_, n) => ({ title: n === 1_100 ? 'Emma' : `U${n}`, year: n })),
    }),
  'a delete': (books, [id]) => writing(app, books, 'DELETE', `/data/${id}`),
  'a delete by filter': books =>
    writing(app, books, 'POST', '/data/delete', { filter: { year: { $gt: 1800 } }, max_affected: 10 }),
  'a batch': (books, [emma, other, ulysses]) =>
    writing(app, books, 'POST', '/data/batch', {
      operations: [
        { insert: { title: 'Emma', shelf: 1 } },
        { update: { _id: other, update: { $set: { title: 'Ulysses', colour: 'green' } } } },
        { update: { _id: ulysses, update: { $set: { title: 'Persuasion' } } } },
        { delete: { _id: emma } },
      ],
    }),
  'an import': async books => {
    const rows = Array.from({ length: 2_500 }, (_, n) => JSON.stringify({ title: `I${n}`, n }));
    await importFile(app, books, rows.join('\n'), { type: NDJSON });
    return newestEvent(app, books);
  },
  'an import by key that writes a new record twice': async books => {
    const rows = [
      { title: 'Emma', year: 5 },
      { title: 'Fresh', year: 1 },
    ];
    for (let n = 0; n < 1_500; n++) rows.push({ title: `K${n}`, year: n });
    rows.push({ title: 'Fresh', year: 2 });
    const content = rows.map(row => JSON.stringify(row)).join('\n');
    await importFile(app, books, content, { type: NDJSON, query: { mode: 'upsert', upsert_key: 'title' } });
    return newestEvent(app, books);
  },
};

describe('POST /v1/collections/{collection_id}/undo', () => {
  it.each(Object.entries(WRITES))('undoes %s, the undo, and the undo of the undo', async (_, write) => {
    const { books, ids } = await shelf();
    const before = await state(app, books);
    const event = await write(books, ids);
    const after = await state(app, books);
    expect(after).not.toEqual(before);
    const changed = new Set(
      [...Object.keys(before), ...Object.keys(after)].filter(
        id => JSON.stringify(before[id]) !== JSON.stringify(after[id]),
      ),
    ).size;

    const would = await undone(app, books, { event_ids: [event], dry_run: true });
    expect(would).toEqual({ undone: changed, skipped: 0, conflicts: [], event_id: null });
    expect(await state(app, books)).toEqual(after);

    const did = await undone(app, books, { event_ids: [event] });
    expect(did).toEqual({ ...would, event_id: expect.any(String) });
    expect(await state(app, books)).toEqual(before);

    expect(await undone(app, books, { event_ids: [event] })).toEqual({ ...would, undone: 0 });

    const redone = await undone(app, books, { event_ids: [did.event_id] });
    expect([redone.undone, await state(app, books)]).toEqual([changed, after]);
    const again = await undone(app, books, { event_ids: [event] });
    expect([again.undone, await state(app, books)]).toEqual([changed, before]);
  });

  it('writes one audit event that names what was undone, and the history tells of it', async () => {
    const { books, ids } = await shelf();
    const first = await writing(app, books, 'PATCH', `/data/${ids[0]}`, { $set: { year: 1 } });
    const second = await writing(app, books, 'DELETE', `/data/${ids[1]}`);
    const { event_id } = await undone(app, books, { event_ids: [second, first] });
    const events = await eventsOf(app, books);
    expect(events.at(-1)).toMatchObject({
      type: 'collections.records.undone',
      count: 2,
      record_ids: expect.arrayContaining([ids[0], ids[1]]),
      changes: { undoes: [first, second], updated: 1, inserted: 1, deleted: 0 },
    });
    for (const [id, operations] of [
      [ids[0], ['undone', 'updated', 'inserted']],
      [ids[1], ['undone', 'deleted', 'inserted']],
    ] as const) {
      const { body } = await app.request('GET', `${books.data}/${id}/history`, home.owner);
      expect(body.items.map(({ operation }: { operation: string }) => operation)).toEqual(operations);
      expect(body.items[0].event_id).toBe(event_id);
      expect(body.items[0].valid_from).toBe(body.items[1].valid_to);
    }
  });

  it('keeps the id and the time of creation of a reinserted record, and gives it a new tag', async () => {
    const { books, ids } = await shelf();
    const [id] = ids as [string];
    const get = () => app.request('GET', `${books.data}/${id}`, home.owner);
    const before = await get();
    const event = await writing(app, books, 'DELETE', `/data/${id}`);
    await undone(app, books, { event_ids: [event] });
    const after = await get();
    expect(after.body.record.created_at).toBe(before.body.record.created_at);
    expect(after.body.record.updated_at > before.body.record.updated_at).toBe(true);
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });

  it('puts back the oldest replaced version when several of the events changed a record', async () => {
    const { books, ids } = await shelf();
    const [id] = ids as [string];
    const before = await state(app, books);
    const events: string[] = [];
    for (const year of [1, 2, 3])
      events.push(await writing(app, books, 'PATCH', `/data/${id}`, { $set: { year } }));
    events.push(await writing(app, books, 'DELETE', `/data/${id}`));
    expect((await undone(app, books, { event_ids: events.toReversed() })).undone).toBe(1);
    expect(await state(app, books)).toEqual(before);
  });

  it('undoes all writes of one request, and all writes of one caller in a time', async () => {
    const { books, ids } = await shelf();
    const before = await state(app, books);
    const since = new Date().toISOString();
    const answer = await app.request('PATCH', `${books.data}/${ids[0]}`, {
      ...home.owner,
      body: { year: 4 },
    });
    const correlation_id = answer.headers.get('x-correlation-id');
    expect((await undone(app, books, { correlation_id })).undone).toBe(1);
    expect(await state(app, books)).toEqual(before);
    await writing(app, books, 'DELETE', `/data/${ids[1]}`);
    await writing(app, books, 'POST', '/data', { records: { title: 'x' } });
    const actor = { type: 'user', id: home.org.owner.userId };
    expect((await undone(app, books, { actor, since })).undone).toBe(2);
    expect(await state(app, books)).toEqual(before);
    const until = new Date(Date.parse(since) - 1).toISOString();
    const all = await undone(app, books, { actor, since: '2020-01-01T00:00:00Z', until, dry_run: true });
    expect(all).toMatchObject({ undone: 3, conflicts: [] });
  });

  it('undoes an import of the time when it wrote its records, whenever its upload began', async () => {
    const { books } = await shelf();
    const before = await state(app, books);
    const importing = upload(books, app);
    await importing.send('title,year\n');
    await until(async () => {
      const staging = `SELECT FROM pg_stat_activity WHERE state = 'idle in transaction' AND query ~ 'TEMP TABLE|pg_temp'`;
      return (await app.sql(staging)).length > 0;
    });
    const since = new Date().toISOString();
    await importing.send('late,1\nlater,2\n');
    expect((await importing.end()).status).toBe(200);
    const actor = { type: 'user', id: home.org.owner.userId };
    expect((await undone(app, books, { actor, since })).undone).toBe(2);
    expect(await state(app, books)).toEqual(before);
  });

  it('knows what a write was undone by: an undone write is no conflict, and can be undone again once it is redone', async () => {
    const { books, ids } = await shelf();
    const [id] = ids as [string];
    const set = (year: number) => writing(app, books, 'PATCH', `/data/${id}`, { $set: { year } });
    const [first, second] = [await set(1), await set(2)];
    const undo = await undone(app, books, { event_ids: [second] });
    expect((await read(app, books, id)).year).toBe(1);
    await undone(app, books, { event_ids: [first] });
    expect((await read(app, books, id)).year).toBe(1815);
    // What the undone undo has put back is behind the record now.
    expect((await undone(app, books, { event_ids: [undo.event_id] })).undone).toBe(0);
  });

  it('deletes a record whose insert and later changes are undone together', async () => {
    const { books } = await shelf();
    const before = await state(app, books);
    const inserted = await writing(app, books, 'POST', '/data', { records: { title: 'x' } });
    const [id] = Object.keys(await state(app, books)).filter(each => !(each in before));
    const updated = await writing(app, books, 'PATCH', `/data/${id}`, { $set: { title: 'y' } });
    const { event_id } = await undone(app, books, { event_ids: [inserted, updated] });
    expect(await state(app, books)).toEqual(before);
    await undone(app, books, { event_ids: [event_id] });
    expect(await read(app, books, id as string)).toMatchObject({ title: 'y' });
  });

  it('puts back values of columns that have been added or removed since', async () => {
    const books = await newCollection(app, home, { properties: { ...EVERY_TYPE } });
    const [id] = (await insert(app, books, EMMA)) as [string];
    const event = await writing(app, books, 'PATCH', `/data/${id}`, { $set: { ...OTHER, shelf: 8 } });
    const { title, ...properties } = EVERY_TYPE;
    const change = { properties: { ...properties, added: { type: 'integer' } } };
    expect((await app.request('PATCH', `${books.path}/schema`, { ...home.owner, body: change })).status).toBe(
      200,
    );
    await undone(app, books, { event_ids: [event] });
    expect(await read(app, books, id)).toMatchObject({ ...EMMA, added: null });
  });
});
