import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  eventsOf,
  everyRecord,
  type Home,
  insert,
  newCollection,
  newHome,
  outcome,
  search,
  type TestCollection,
} from '../../harness/collection.js';
import { send, succeed } from '../../harness/collection-requests.js';
import { Dice } from '../../harness/dice.js';
import { onCitus } from '../../harness/on-citus.js';
import { now, pulled } from '../changes/feed.js';
import { guest } from '../sharing/sharing.js';

type Fields = Readonly<Record<string, unknown>>;

describe('restoring records', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });
  const properties = { title: { type: 'text' }, year: { type: 'integer' } };
  const newBooks = (wanted: object = {}) => newCollection(app, home, { properties, ...wanted });
  beforeEach(async () => {
    books = await newBooks();
  });

  /** An instant between the writes before and those that follow. */
  async function instant(): Promise<string> {
    await pause(5);
    const at = new Date().toISOString();
    await pause(5);
    return at;
  }
  const restore = (body: object, caller = home.owner, headers = {}) =>
    app.request('POST', `${books.path}/restore`, { ...caller, body, headers });
  const restored = (body: object) => succeed(app, books, 'POST', '/restore', body);
  const update = (id: string | undefined, set: object) =>
    succeed(app, books, 'PATCH', `/data/${id}`, { $set: set });
  const remove = (id: string | undefined) => succeed(app, books, 'DELETE', `/data/${id}`);
  const titles = async () => (await everyRecord(app, books)).map(({ title }) => title);

  it('puts back what was updated and deleted, and deletes what was inserted since', async () => {
    const [emma, gone, same] = await insert(
      app,
      books,
      { title: 'Emma', year: 1815, shelf: 7 },
      { title: 'Gone' },
      { title: 'Same' },
    );
    const before = await everyRecord(app, books);
    const as_of = await instant();
    await update(emma, { year: 1, shelf: 8, more: true });
    await remove(gone);
    await insert(app, books, { title: 'New' });
    const wanted = { restored: 2, deleted: 1, unchanged: 1 };
    expect(await restored({ as_of, dry_run: true })).toEqual({ ...wanted, event_id: null });
    expect(await titles()).toEqual(['Emma', 'Same', 'New']);

    const { event_id, ...counts } = await restored({ as_of });

    expect(counts).toEqual(wanted);
    const after = await everyRecord(app, books);
    expect(after.map(withoutTime)).toEqual(before.map(withoutTime));
    const event = (await eventsOf(app, books)).at(-1);
    expect(event).toMatchObject({
      type: 'collections.records.restored',
      count: 3,
      changes: { as_of, inserted: 1, updated: 1, deleted: 1 },
    });
    expect(event?.record_ids).not.toContain(same);
    const { items } = await succeed(app, books, 'GET', `/data/${emma}/history`);
    expect(items[0]).toMatchObject({ operation: 'restored', event_id, changed: ['more', 'shelf', 'year'] });
    expect(await restored({ as_of })).toEqual({ restored: 0, deleted: 0, unchanged: 3, event_id: null });
  });

  it('concerns the records that match the filter as they are or as they were', async () => {
    const [was, is] = await insert(
      app,
      books,
      { title: 'was', year: 1 },
      { title: 'is', year: 2 },
      { year: 3 },
    );
    const as_of = await instant();
    await update(was, { year: 10 });
    await update(is, { year: 1 });
    await insert(app, books, { title: 'new', year: 1 }, { title: 'other', year: 5 });
    expect(await restored({ as_of, filter: { year: 1 } })).toMatchObject({
      restored: 2,
      deleted: 1,
      unchanged: 0,
    });
    expect((await everyRecord(app, books)).map(({ year }) => year)).toEqual([1, 2, 3, 5]);
  });

  it('does the same as reading the past says, whatever was written', async () => {
    const dice = new Dice(42);
    let ids = await insert(app, books, ...Array.from({ length: 12 }, (_, n) => ({ year: n % 4, shelf: n })));
    const instants: string[] = [];
    for (let round = 0; round < 40; round++) {
      if (round % 8 === 0) instants.push(await instant());
      const year = dice.below(4);
      const id = dice.of(ids);
      const act = dice.of(['update', 'update', 'flexible', 'delete', 'insert', 'many', 'batch']);
      if (act === 'update') await send(app, books, 'PATCH', `/data/${id}`, { $set: { year } });
      if (act === 'flexible')
        await send(app, books, 'PATCH', `/data/${id}`, { $unset: { shelf: 1 }, $push: { log: round } });
      if (act === 'delete') await send(app, books, 'DELETE', `/data/${id}`);
      if (act === 'insert') ids = [...ids, ...(await insert(app, books, { year, shelf: round }))];
      if (act === 'many')
        await succeed(app, books, 'PATCH', '/data', { filter: { year }, update: { $set: { round } } });
      if (act === 'batch')
        await send(app, books, 'POST', '/data/batch', {
          operations: [{ insert: { year } }, { delete: { _id: id } }],
        });
    }
    for (const as_of of [...instants.toReversed(), ...instants]) {
      const filter = { year: { $in: [dice.below(4), dice.below(4)] } };
      const [present, past] = [
        await everyRecord(app, books),
        (await search(app, books, { as_of, limit: 100 })).records,
      ];
      const matching = new Set<string>();
      for (const when of [{}, { as_of }])
        for (const { _id } of (await search(app, books, { ...when, filter, limit: 100 })).records)
          matching.add(_id);
      const expected = [
        ...present.filter(({ _id }) => !matching.has(_id as string)),
        ...past.filter(({ _id }: { _id: string }) => matching.has(_id)),
      ];
      const told = await restored({ as_of, filter, dry_run: true });
      expect(await restored({ as_of, filter })).toEqual({
        ...told,
        event_id: told.restored + told.deleted === 0 ? null : expect.any(String),
      });
      expect(byId(await everyRecord(app, books))).toEqual(byId(expected));
      expect(told.restored + told.deleted + told.unchanged).toBe(matching.size);
    }
  });

  it('can be undone', async () => {
    const [id] = await insert(app, books, { title: 'Emma' }, { title: 'Deleted' });
    const as_of = await instant();
    await update(id, { title: 'Changed' });
    await insert(app, books, { title: 'New' });
    const before = await everyRecord(app, books);
    const { event_id } = await restored({ as_of });
    await succeed(app, books, 'POST', '/undo', { event_ids: [event_id] });
    expect(byId(await everyRecord(app, books))).toEqual(byId(before));
  });

  it('restores unique values that records have exchanged since', async () => {
    books = await newBooks({ uniques: [{ properties: ['title'] }] });
    const [a, b] = await insert(app, books, { title: 'a' }, { title: 'b' });
    const as_of = await instant();
    await succeed(app, books, 'POST', '/data/batch', {
      operations: [
        { update: { _id: a, update: { title: 'b' } } },
        { update: { _id: b, update: { title: 'a' } } },
      ],
    });
    expect(await restored({ as_of })).toMatchObject({ restored: 2 });
    expect(await titles()).toEqual(['a', 'b']);
  });

  it('writes nothing when a record that does not match has an earlier unique value', async () => {
    books = await newBooks({ uniques: [{ properties: ['title'] }] });
    const [a] = await insert(app, books, { title: 'a', year: 1 }, { title: 'b', year: 1 });
    const as_of = await instant();
    await update(a, { title: 'c' });
    await insert(app, books, { title: 'a', year: 2 });
    const refused = await restore({ as_of, filter: { year: 1 } });
    expect([...outcome(refused), refused.body.details]).toEqual([409, 'AlreadyExists', [{ record_id: a }]]);
    expect(await titles()).toEqual(['c', 'b', 'a']);
    expect(await restored({ as_of })).toMatchObject({ restored: 1, deleted: 1 });
  });

  it('respects max_records', async () => {
    books = await newBooks({ settings: { max_records: 2 } });
    const [a] = await insert(app, books, { title: 'a' }, { title: 'b' });
    const as_of = await instant();
    await remove(a);
    await insert(app, books, { title: 'c' });
    expect(outcome(await restore({ as_of, filter: { title: 'a' } }))).toEqual([422, 'CollectionFull']);
    expect(await restored({ as_of })).toMatchObject({ restored: 1, deleted: 1 });
    expect((await titles()).toSorted()).toEqual(['a', 'b']);
  });

  it.skipIf(onCitus.refusesFeeds)(
    'is reported to followers, and changes the ETag of what it writes',
    async () => {
      const [id] = await insert(app, books, { title: 'a' });
      const as_of = await instant();
      await update(id, { title: 'b' });
      await insert(app, books, { title: 'new' });
      const tag = async () => (await send(app, books, 'GET', `/data/${id}`)).headers.get('etag');
      const [since, before] = [await now(app, books), await tag()];
      await restored({ as_of });
      const changes = await pulled(app, books, since);
      expect(changes.map(({ type, record }) => [type, record.title]).toSorted()).toEqual([
        ['deleted', 'new'],
        ['updated', 'a'],
      ]);
      expect(await tag()).not.toBe(before);
    },
  );

  it('is done once for requests with the same Idempotency-Key', async () => {
    const [id] = await insert(app, books, { title: 'a' });
    const as_of = await instant();
    await update(id, { title: 'b' });
    const key = { 'idempotency-key': randomUUID() };
    const first = await restore({ as_of }, home.owner, key);
    await update(id, { title: 'c' });
    const second = await restore({ as_of }, home.owner, key);
    expect([second.body, second.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
    expect(await titles()).toEqual(['c']);
  });

  it('is refused to editors', async () => {
    const as_of = await instant();
    const editor = await guest(app, home.org, books, 'editor');
    expect(outcome(await restore({ as_of }, { token: editor.token }))).toEqual([403, 'Forbidden']);
    const admin = await guest(app, home.org, books, 'admin');
    expect((await restore({ as_of }, { token: admin.token })).status).toBe(200);
  });

  it.each<[string, object, string]>([
    ['without an instant', {}, 'InvalidArguments'],
    ['an instant in the future', { as_of: '2999-01-01T00:00:00Z' }, 'InvalidArguments'],
    ['an instant before the history', { as_of: '2001-01-01T00:00:00Z' }, 'HistoryUnavailable'],
    ['a filter that is not valid', { as_of: '2001-01-01T00:00:00Z', filter: { $no: 1 } }, 'InvalidArguments'],
    ['an unknown field', { as_of: '2001-01-01T00:00:00Z', on_conflict: 'skip' }, 'InvalidArguments'],
  ])('is refused %s', async (_, body, code) => {
    expect(outcome(await restore(body))).toEqual([400, code]);
  });

  it('is refused for more than 100,000 records', async () => {
    books = await newBooks({ settings: { max_records: 1_000_000 } });
    const as_of = await instant();
    await app.sql(
      `INSERT INTO ${books.table} (_id, created_at, updated_at, c2) SELECT gen_random_uuid(), now(), now(), n
       FROM generate_series(0, 100000) n`,
    );
    const refused = await restore({ as_of });
    expect([...outcome(refused), refused.body.message]).toEqual([
      400,
      'InvalidArguments',
      expect.stringContaining('More than 100000 '),
    ]);
    expect(await restored({ as_of, filter: { year: { $lt: 10 } } })).toMatchObject({ deleted: 10 });
  });

  it('is refused when the collection keeps no history', async () => {
    books = await newBooks({ settings: { history_days: 0 } });
    expect(outcome(await restore({ as_of: new Date().toISOString() }))).toEqual([400, 'HistoryUnavailable']);
  });
});

function withoutTime({ updated_at, ...record }: Fields): Fields {
  return record;
}

function byId(records: readonly Fields[]): Fields {
  return Object.fromEntries(records.map(record => [record._id, withoutTime(record)]));
}
