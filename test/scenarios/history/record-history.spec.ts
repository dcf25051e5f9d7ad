import { beforeAll, describe, expect, it, vi } from 'vitest';
import { TableAccess } from '../../../src/engine/storage/table-access.js';
import { VersionPruning } from '../../../src/features/history/version-pruning.service.js';
import { RecordExpiry } from '../../../src/features/records/expiry.service.js';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  expire,
  type Home,
  insert,
  newCollection,
  newHome,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { send, succeed } from '../../harness/collection-requests.js';
import { onCitus } from '../../harness/on-citus.js';
import { sharingUpdates } from '../../harness/shared-updates.js';
import { tableOf, versionsOf } from '../../harness/tables.js';

const properties = { title: { type: 'text' }, year: { type: 'integer' } };

describe('the history of a record', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  const newBooks = (wanted: object = {}) => newCollection(app, home, { properties, ...wanted });
  const write = (collection: TestCollection, method: string, path: string, body?: object) =>
    succeed(app, collection, method, `/data${path}`, body);
  const history = ({ data }: TestCollection, id: string, query = '') =>
    app.request('GET', `${data}/${id}/history${query}`, home.owner);
  const items = async (collection: TestCollection, id: string) => {
    const answer = await history(collection, id);
    expect(outcome(answer)).toEqual([200, undefined]);
    return answer.body.items;
  };

  it('has one item, of its insert, while the record was never changed', async () => {
    const books = await newBooks();
    const [id] = (await insert(app, books, { title: 'Emma', shelf: 7 })) as [string];
    const [only, ...others] = await items(books, id);
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      version: 1,
      valid_to: null,
      operation: 'inserted',
      actor: { type: 'user', id: home.org.owner.userId, via: 'rest' },
      record: { _id: id, title: 'Emma', year: null, shelf: 7 },
      changed: ['shelf', 'title'],
    });
    expect(only.valid_from).toBe(only.record.created_at);
  });

  it('lists every write, the newest first, with who made it and the fields that it changed', async () => {
    const books = await newBooks();
    const [id] = (await insert(app, books, { title: 'Emma', year: 1815 })) as [string];
    const updated = await send(app, books, 'PATCH', `/data/${id}`, { $set: { year: 1816, shelf: 7 } });
    await write(books, 'POST', '/batch', {
      operations: [{ update: { _id: id, update: { $push: { tags: 'x' } } } }],
    });
    await write(books, 'DELETE', `/${id}`);
    const found = await items(books, id);
    expect(
      found.map(({ version, operation, changed, record }: Record<string, unknown>) => [
        version,
        operation,
        changed,
        record === null,
      ]),
    ).toEqual([
      [4, 'deleted', [], true],
      [3, 'written', ['tags'], false],
      [2, 'updated', ['shelf', 'year'], false],
      [1, 'inserted', ['title', 'year'], false],
    ]);
    expect(found[2].correlation_id).toBe(updated.headers.get('x-correlation-id'));
    const events = (await app.request('GET', `${books.path}/audit`, home.owner)).body.items;
    expect(found.map(({ event_id }: { event_id: string }) => event_id)).toEqual(
      events
        .filter(({ type }: { type: string }) => type.startsWith('collections.records.'))
        .map(({ id: each }: { id: string }) => each),
    );
    // Versions follow one another without a gap.
    expect(found.slice(0, -1).map(({ valid_from }: { valid_from: string }) => valid_from)).toEqual(
      found.slice(1).map(({ valid_to }: { valid_to: string }) => valid_to),
    );
  });

  describe('numbers the versions of a record without a gap', () => {
    const withUnique = () => newBooks({ uniques: [{ properties: ['title'] }] });
    const numbers = async (books: TestCollection, id: string) =>
      (await items(books, id)).map(({ version }: { version: number }) => version);
    const undoNewest = async (books: TestCollection, id: string) => {
      const [{ event_id }] = await items(books, id);
      await succeed(app, books, 'POST', '/undo', { event_ids: [event_id] });
    };

    it.each<[string, (books: TestCollection, id: string, year: number) => Promise<unknown>]>([
      ['an update', (books, id, year) => write(books, 'PATCH', `/${id}`, { $set: { year } })],
      [
        'updates that share a statement',
        async (books, id, year) => {
          const [other] = await insert(app, books, { year: 0 });
          const body = { $set: { year } };
          await sharingUpdates(app, books, () =>
            [id, other].map(each => app.request('PATCH', `${books.data}/${each}`, { ...home.owner, body })),
          );
        },
      ],
      [
        'an update that reads the record',
        (books, id) => write(books, 'PATCH', `/${id}`, { $push: { a: 1 } }),
      ],
      [
        'an update by a filter',
        (books, _, year) =>
          write(books, 'PATCH', '', { filter: { title: 'Emma' }, update: { $set: { year } } }),
      ],
      [
        'an upsert',
        (books, _, year) =>
          write(books, 'POST', '/upsert', { data: { title: 'Emma', year }, match_fields: ['title'] }),
      ],
      [
        'a bulk upsert',
        (books, _, year) =>
          write(books, 'POST', '/bulk', { records: [{ title: 'Emma', year }], upsert_key: 'title' }),
      ],
      [
        'an import by key',
        async (books, _, year) => {
          const raw = `title,year\nEmma,${year}\n`;
          const headers = { 'content-type': 'text/csv' };
          const path = `${books.path}/import?mode=upsert&upsert_key=title`;
          expect((await app.request('POST', path, { ...home.owner, raw, headers })).status).toBe(200);
        },
      ],
      [
        'a batch',
        (books, _id, year) =>
          write(books, 'POST', '/batch', { operations: [{ update: { _id, update: { $set: { year } } } }] }),
      ],
      ['an undo', undoNewest],
    ])('by %s', async (_, change) => {
      const books = await withUnique();
      const [id] = (await insert(app, books, { title: 'Emma', year: 1 })) as [string];
      await write(books, 'PATCH', `/${id}`, { $set: { year: 2 } });
      await change(books, id, 3);
      await change(books, id, 4);
      await write(books, 'PATCH', `/${id}`, { $set: { year: 5 } });
      expect(await numbers(books, id)).toEqual([5, 4, 3, 2, 1]);
    });

    it('of a record that was deleted and came back', async () => {
      const books = await withUnique();
      const [id] = (await insert(app, books, { title: 'Emma', year: 1 })) as [string];
      await write(books, 'DELETE', `/${id}`);
      await undoNewest(books, id);
      await write(books, 'PATCH', `/${id}`, { $set: { year: 2 } });
      expect(await numbers(books, id)).toEqual([4, 3, 2, 1]);
    });

    it('by records that exchange unique values, and no instant is between two versions', async () => {
      const books = await withUnique();
      const [a, b] = (await insert(app, books, { title: 'a' }, { title: 'b' })) as [string, string];
      const exchange = async (first: string, second: string) =>
        write(books, 'POST', '/batch', {
          operations: [
            { update: { _id: a, update: { $set: { title: first } } } },
            { update: { _id: b, update: { $set: { title: second } } } },
          ],
        });
      await exchange('b', 'a');
      await exchange('a', 'b');
      for (const id of [a, b]) {
        const [now, then, first] = await items(books, id);
        expect([now.version, then.version, first.version]).toEqual([3, 2, 1]);
        expect([then.valid_to, first.valid_to]).toEqual([now.valid_from, then.valid_from]);
        expect(now.record.title).toBe(first.record.title);
      }
      await write(books, 'PATCH', `/${a}`, { $set: { year: 1 } });
      expect(await numbers(books, a)).toEqual([4, 3, 2, 1]);
    });

    it('by a history that ended and began again', async () => {
      const books = await withUnique();
      const [id] = (await insert(app, books, { title: 'Emma', year: 1 })) as [string];
      const days = (history_days: number) =>
        app.request('PATCH', books.path, { ...home.owner, body: { settings: { history_days } } });
      await write(books, 'PATCH', `/${id}`, { $set: { year: 2 } });
      await days(0);
      await write(books, 'PATCH', `/${id}`, { $set: { year: 3 } });
      await days(7);
      expect(await numbers(books, id)).toEqual([2]);
      await write(books, 'PATCH', `/${id}`, { $set: { year: 4 } });
      await undoNewest(books, id);
      expect(await numbers(books, id)).toEqual([4, 3, 2]);
    });

    it('by updates that do not number the records', async () => {
      const books = await withUnique();
      const [id] = (await insert(app, books, { title: 'Emma', year: 1 })) as [string];
      for (let time = 0; time < 2; time++) {
        await write(books, 'PATCH', `/${id}`, { $inc: { year: 1 } });
        await app.sql(`UPDATE ${books.table} SET c2 = c2 + 10`);
      }
      expect(await numbers(books, id)).toEqual([5, 4, 3, 2, 1]);
    });
  });

  it('is read in pages, whose cursors are good for this record only', async () => {
    const books = await newBooks();
    const [id, other] = (await insert(app, books, { year: 0 }, { year: 0 })) as [string, string];
    for (let year = 1; year <= 6; year++) await write(books, 'PATCH', `/${id}`, { $set: { year } });
    const years: number[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await history(books, id, `?limit=3&cursor=${cursor}`);
      years.push(...body.items.map(({ record }: { record: { year: number } }) => record.year));
      if (body.next_cursor === null) break;
      cursor = body.next_cursor;
      expect(outcome(await history(books, other, `?cursor=${cursor}`))).toEqual([400, 'InvalidArguments']);
    }
    expect(years).toEqual([6, 5, 4, 3, 2, 1, 0]);
  });

  it('keeps the previous values when a column gets another type', async () => {
    const books = await newBooks();
    const [id] = (await insert(app, books, { title: 'Emma', year: 1815, shelf: 'A' })) as [string];
    await write(books, 'PATCH', `/${id}`, { $set: { year: 1816 } });
    const before = new Date().toISOString();
    const change = { properties: { year: { type: 'text' }, shelf: { type: 'text' } } };
    expect((await app.request('PATCH', `${books.path}/schema`, { ...home.owner, body: change })).status).toBe(
      200,
    );
    await write(books, 'PATCH', `/${id}`, { $set: { year: 'about 1816', shelf: 'B' } });
    const found = await items(books, id);
    expect(
      found.map(({ record }: { record: { year: unknown; shelf: string } }) => [record.year, record.shelf]),
    ).toEqual([
      ['about 1816', 'B'],
      ['1816', 'A'],
      [1815, 'A'],
    ]);
    const then = await app.request('GET', `${books.data}/${id}?as_of=${before}`, home.owner);
    expect(then.body.record).toMatchObject({ year: '1816', shelf: 'A' });
    const since = found[2].valid_from;
    const first = await app.request('GET', `${books.data}/${id}?as_of=${since}`, home.owner);
    expect(first.body.record).toMatchObject({ year: 1815, shelf: 'A' });
  });

  it.skipIf(onCitus.refusesUpdatesByHand)(
    'shows instants in UTC also for writes by a database session with another time zone, which keeps its zone',
    async () => {
      const books = await newCollection(app, home, { properties: { lent_at: { type: 'datetime' } } });
      const [id] = (await insert(app, books, { lent_at: '2026-01-31T09:30:00Z' })) as [string];
      const before = (await items(books, id))[0].record;
      const update = `UPDATE ${tableOf(books.orgId, books.id)} SET updated_at = clock_timestamp(),
      x = jsonb_build_object('zone', current_setting('TimeZone')) WHERE _id = '${id}'`;
      await app.sql(`BEGIN; SET LOCAL TimeZone = 'Asia/Tokyo'; ${update}; ${update}; COMMIT`);
      const [{ record }, , oldest] = await items(books, id);
      expect(record.zone).toBe('Asia/Tokyo');
      expect(oldest.record).toEqual(before);
    },
  );

  it('is empty for records that nobody knows, that have expired, and of other collections', async () => {
    const [books, others] = [await newBooks(), await newBooks()];
    const [id, gone] = (await insert(app, books, { year: 1 }, { year: 2 })) as [string, string];
    await write(books, 'PATCH', `/${gone}`, { $set: { year: 3 } });
    await expire(app, books, gone);
    await app.nest.get(RecordExpiry).removeAll(new AbortController().signal);
    for (const [collection, each] of [
      [others, id],
      [books, '0199f3a2-7c41-7b1e-9d2a-3f5b8c6d7e02'],
      [books, 'x'],
    ] as const)
      expect(outcome(await history(collection, each))).toEqual([404, 'RecordNotFound']);
    expect(
      (await history(books, gone)).body.items.map(({ operation }: { operation: string }) => operation),
    ).not.toContain('deleted');
  });

  it('is for readers, and hides the collection from others', async () => {
    const books = await newBooks();
    const [id] = (await insert(app, books, { year: 1 })) as [string];
    const stranger = await newHome(app);
    const answer = await app.request('GET', `${books.data}/${id}/history`, stranger.owner);
    expect(outcome(answer)).toEqual([404, 'CollectionNotFound']);
  });

  describe('history_days', () => {
    const days = (collection: TestCollection, history_days: number) =>
      app.request('PATCH', collection.path, { ...home.owner, body: { settings: { history_days } } });

    it('is 7 by default, and 0 keeps nothing', async () => {
      const [kept, none] = [await newBooks(), await newBooks({ settings: { history_days: 0 } })];
      expect((await app.request('GET', kept.path, home.owner)).body.settings.history_days).toBe(7);
      const [id] = (await insert(app, none, { year: 1 })) as [string];
      await write(none, 'PATCH', `/${id}`, { $set: { year: 2 } });
      expect((await items(none, id)).map(({ record }: { record: { year: number } }) => record.year)).toEqual([
        2,
      ]);
      const past = await app.request(
        'GET',
        `${none.data}/${id}?as_of=${new Date().toISOString()}`,
        home.owner,
      );
      expect([...outcome(past), past.body.details]).toEqual([400, 'HistoryUnavailable', { earliest: null }]);
    });

    it('set to 0 clears at once, and set again begins anew', async () => {
      const books = await newBooks();
      const [id] = (await insert(app, books, { year: 1 })) as [string];
      await write(books, 'PATCH', `/${id}`, { $set: { year: 2 } });
      const before = new Date().toISOString();
      expect((await days(books, 0)).status).toBe(200);
      expect(await items(books, id)).toHaveLength(1);
      expect((await days(books, 30)).status).toBe(200);
      expect(await items(books, id)).toHaveLength(1);
      await write(books, 'PATCH', `/${id}`, { $set: { year: 3 } });
      expect((await items(books, id)).map(({ record }: { record: { year: number } }) => record.year)).toEqual(
        [3, 2],
      );
      const past = await app.request('GET', `${books.data}/${id}?as_of=${before}`, home.owner);
      expect(outcome(past)).toEqual([400, 'HistoryUnavailable']);
    });

    it('off while a record changed: nobody is named for the change', async () => {
      const books = await newBooks();
      const [id] = (await insert(app, books, { year: 1 })) as [string];
      await write(books, 'PATCH', `/${id}`, { $set: { year: 2 } });
      await days(books, 0);
      await write(books, 'PATCH', `/${id}`, { $set: { year: 3 } });
      const unknown = { operation: 'updated', record: { year: 3 }, actor: null, event_id: null };
      expect(await items(books, id)).toMatchObject([unknown]);
      await days(books, 7);
      expect(await items(books, id)).toMatchObject([{ ...unknown, correlation_id: null }]);
      await write(books, 'PATCH', `/${id}`, { $set: { year: 4 } });
      expect(await items(books, id)).toMatchObject([{ actor: { id: home.org.owner.userId } }, unknown]);
    });

    it('off while the job removes old versions: the job ends, and the history is gone', async () => {
      const books = await newBooks();
      const [id] = (await insert(app, books, { year: 1 })) as [string];
      await write(books, 'PATCH', `/${id}`, { $set: { year: 2 } });
      const tables = app.nest.get(TableAccess);
      const onServerAlone = tables.onServerAlone.bind(tables);
      const paused = vi.spyOn(tables, 'onServerAlone').mockImplementation(async (source, named, work) => {
        if (named.id === books.id) await days(books, 0);
        return onServerAlone(source, named, work);
      });
      await app.nest.get(VersionPruning).removeOld(new AbortController().signal);
      expect(paused.mock.calls.filter(([, named]) => named.id === books.id)).toHaveLength(1);
      paused.mockRestore();
      expect(await items(books, id)).toMatchObject([{ version: 2, record: { year: 2 }, valid_to: null }]);
      expect(
        await app.sql('SELECT to_regclass($1) AS versions', [versionsOf(books.orgId, books.id)]),
      ).toEqual([{ versions: null }]);
    });

    it.skipIf(onCitus.refusesUpdatesByHand)(
      'ends: older versions are removed, the numbers go on, and the present version keeps its event',
      async () => {
        const books = await newBooks();
        const [id, deleted] = (await insert(app, books, { year: 1 }, { year: 1 })) as [string, string];
        await write(books, 'PATCH', `/${id}`, { $set: { year: 2 } });
        await write(books, 'PATCH', `/${id}`, { $set: { year: 3 } });
        await write(books, 'DELETE', `/${deleted}`);
        const [present] = await items(books, id);
        await app.sql(
          `UPDATE ${versionsOf(books.orgId, books.id)} SET valid_to = valid_to - interval '8 days',
        valid_from = valid_from - interval '8 days'`,
        );
        await app.nest.get(VersionPruning).removeOld(new AbortController().signal);
        expect(await items(books, id)).toEqual([
          { ...present, changed: present.record === null ? [] : expect.any(Array) },
        ]);
        expect(outcome(await history(books, deleted))).toEqual([404, 'RecordNotFound']);
        await write(books, 'PATCH', `/${id}`, { $set: { year: 4 } });
        expect((await items(books, id)).map(({ version }: { version: number }) => version)).toEqual([4, 3]);
      },
    );
  });

  it.each([
    ['2999-01-01T00:00:00Z', 'InvalidArguments'],
    ['2001-01-01T00:00:00Z', 'HistoryUnavailable'],
    ['yesterday', 'InvalidArguments'],
  ])('as_of %s is refused', async (asOf, code) => {
    const books = await newBooks();
    const answer = await app.request('GET', `${books.data}?as_of=${asOf}`, home.owner);
    expect(outcome(answer)).toEqual([400, code]);
  });

  it('a cursor of the past goes on with the same as_of only', async () => {
    const books = await newBooks();
    await insert(app, books, { year: 1 }, { year: 2 }, { year: 3 });
    const asOf = new Date(Date.now() + 0).toISOString();
    const page = await app.request('GET', `${books.data}?limit=1&cursor=&as_of=${asOf}`, home.owner);
    const cursor = page.body.next_cursor;
    const next = await app.request('GET', `${books.data}?limit=1&cursor=${cursor}&as_of=${asOf}`, home.owner);
    expect(next.body.records).toHaveLength(1);
    for (const other of ['', `&as_of=${new Date(Date.parse(asOf) + 1).toISOString()}`]) {
      const refused = await app.request('GET', `${books.data}?limit=1&cursor=${cursor}${other}`, home.owner);
      expect(outcome(refused)).toEqual([400, 'InvalidArguments']);
    }
  });
});
