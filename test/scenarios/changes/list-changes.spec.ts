import { beforeAll, describe, expect, it } from 'vitest';
import { RecordExpiry } from '../../../src/features/records/expiry.service.js';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  EMMA,
  expire,
  type Home,
  insert,
  newCollection,
  newHome,
  newTypedCollection,
  outcome,
  read,
  triggersOf,
} from '../../harness/collection.js';
import { ask, follow, now, pulled, type SeenChange, typesAndValues, until } from './feed.js';

let app: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
});

describe('the changes of records', () => {
  it('are listed once, in order, with the record as a read shows it', async () => {
    const collection = await newTypedCollection(app, home);
    const since = await now(app, collection);
    const [id] = await insert(app, collection, EMMA);
    const first = await read(app, collection, id!);
    const path = `${collection.data}/${id}`;
    await app.request('PATCH', path, { ...home.owner, body: { $inc: { year: 1 }, $set: { shelf: 8 } } });
    const second = await read(app, collection, id!);
    await app.request('DELETE', path, home.owner);
    const changes = await pulled(app, collection, since);
    expect(changes.map(({ type, record_id, record }) => ({ type, record_id, record }))).toEqual([
      { type: 'inserted', record_id: id, record: first },
      { type: 'updated', record_id: id, record: second },
      { type: 'deleted', record_id: id, record: second },
    ]);
    expect(changes.map(({ changed_at }) => changed_at).slice(0, 2)).toEqual([
      first.updated_at,
      second.updated_at,
    ]);
    expect(await pulled(app, collection, changes[0]!.id)).toEqual(changes.slice(1));
    expect(await pulled(app, collection, changes[2]!.id)).toEqual([]);
  });

  it('are listed for every kind of write', async () => {
    const collection = await newCollection(app, home, {
      properties: { isbn: { type: 'text' }, n: { type: 'integer' } },
      uniques: [{ properties: ['isbn'] }],
    });
    const send = (method: string, path: string, body: unknown) =>
      app.request(method, `${collection.data}${path}`, { ...home.owner, body });
    const since = await now(app, collection);
    await send('POST', '/bulk', { records: [{ isbn: 'a' }, { isbn: 'b' }] });
    await send('POST', '/bulk', {
      records: [
        { isbn: 'b', n: 1 },
        { isbn: 'c', n: 1 },
      ],
      upsert_key: 'isbn',
    });
    await send('POST', '/upsert', { data: { isbn: 'a', n: 2 }, match_fields: ['isbn'] });
    await send('PATCH', '', { filter: { n: 1 }, update: { $inc: { n: 10 } } });
    await send('PATCH', '', { filter: { n: 99 }, update: { $inc: { n: 10 } } });
    const file = {
      headers: { 'content-type': 'application/x-ndjson' },
      raw: '{"isbn":"d"}\n{"isbn":"a","n":3}\n',
    };
    await app.request('POST', `${collection.path}/import?mode=upsert&upsert_key=isbn`, {
      ...home.owner,
      ...file,
    });
    const changes = await pulled(app, collection, since);
    expect(typesAndValues(changes, 'isbn').slice(0, 2)).toEqual([
      ['inserted', 'a'],
      ['inserted', 'b'],
    ]);
    expect(typesAndValues(changes, 'isbn').slice(2, 4)).toEqual(
      expect.arrayContaining([
        ['updated', 'b'],
        ['inserted', 'c'],
      ]),
    );
    expect(
      changes
        .slice(4)
        .map(({ type, record }) => [type, record.isbn, record.n])
        .sort(),
    ).toEqual([
      ['inserted', 'd', null],
      ['updated', 'a', 2],
      ['updated', 'a', 3],
      ['updated', 'b', 11],
      ['updated', 'c', 11],
    ]);
  });

  it('distinguish expiry from deletion', async () => {
    const collection = await newCollection(app, home, {
      properties: { isbn: { type: 'text' } },
      uniques: [{ properties: ['isbn'] }],
    });
    const since = await now(app, collection);
    const ids = await insert(app, collection, { isbn: 'x' }, { isbn: 'y' });
    await expire(app, collection, ids[0]!);
    // The expired record blocks the same unique value, and is removed for it.
    await insert(app, collection, { isbn: 'x' });
    const changes = await pulled(app, collection, since);
    expect(typesAndValues(changes, 'isbn').slice(-2)).toEqual([
      ['expired', 'x'],
      ['inserted', 'x'],
    ]);
    expect(changes.at(-2)?.record_id).toBe(ids[0]);
  });

  it('include expired records when the job removes them', async () => {
    const collection = await newCollection(app, home);
    const since = await now(app, collection);
    const ids = await insert(app, collection, { n: 1 }, { n: 2 });
    await expire(app, collection, ids[1]!);
    await app.nest.get(RecordExpiry).removeAll(new AbortController().signal);
    const changes = await pulled(app, collection, since, { filter: { n: 2 } });
    expect(changes.at(-1)).toMatchObject({ type: 'expired', record_id: ids[1], record: { n: 2 } });
    expect(
      typesAndValues(await pulled(app, collection, since), 'n').filter(([type]) => type === 'expired'),
    ).toHaveLength(1);
  });

  it('do not include writes that were refused or rolled back', async () => {
    const collection = await newCollection(app, home, {
      properties: { isbn: { type: 'text' } },
      uniques: [{ properties: ['isbn'] }],
    });
    const since = await now(app, collection);
    await insert(app, collection, { isbn: 'one' });
    const body = { records: [{ isbn: 'two' }, { isbn: 'one' }] };
    expect((await app.request('POST', collection.data, { ...home.owner, body })).status).toBe(409);
    const dry = { filter: { isbn: 'one' }, update: { $set: { n: 1 } }, dry_run: true };
    expect((await app.request('PATCH', collection.data, { ...home.owner, body: dry })).status).toBe(200);
    expect(typesAndValues(await pulled(app, collection, since), 'isbn')).toEqual([['inserted', 'one']]);
  });
});

describe('a filter on changes', () => {
  it('applies to the record after the change, or to the last state of a deleted one', async () => {
    const collection = await newTypedCollection(app, home);
    const since = await now(app, collection);
    const [a, b] = await insert(app, collection, { ...EMMA, year: 1 }, { ...EMMA, year: 2 });
    const patch = (id: string, body: object) =>
      app.request('PATCH', `${collection.data}/${id}`, { ...home.owner, body });
    await patch(a!, { year: 5 });
    await patch(b!, { year: 6 });
    await app.request('DELETE', `${collection.data}/${a}`, home.owner);
    const years = async (filter: object) =>
      (await pulled(app, collection, since, { filter })).map(({ type, record }) => `${type} ${record.year}`);
    expect(await years({ year: { $gte: 5 } })).toEqual(['updated 5', 'updated 6', 'deleted 5']);
    expect(await years({ year: 1 })).toEqual(['inserted 1']);
    expect(await years({ _id: b })).toEqual(['inserted 2', 'updated 6']);
    expect(await years({ year: 99 })).toEqual([]);
  });

  it.each([
    [{ title: { $gt: 'Emma' } }, 0],
    [{ title: { $regex: '^em', $options: 'i' } }, 1],
    [{ $search: 'emm' }, 1],
    [{ price: { $lt: 13 }, lent: false }, 1],
    [{ printed: { $lte: '1815-12-23' }, read_at: { $gt: '2026-01-31' } }, 1],
    [{ 'details.publisher.city': 'London', tags: 'novel' }, 1],
    [{ 'notes.places.town': 'London', shelf: { $mod: [7, 0] } }, 1],
    [{ tags: { $size: 3 } }, 0],
    [{ created_at: { $gt: '2020-01-01' }, unknown: null }, 1],
    [{ $nor: [{ year: 1815 }] }, 0],
  ])('means the same as in a query: %j', async (filter, found) => {
    const collection = await newTypedCollection(app, home);
    const since = await now(app, collection);
    await insert(app, collection, EMMA);
    expect(await pulled(app, collection, since, { filter })).toHaveLength(found);
    const { body } = await app.request('POST', `${collection.data}/query`, {
      ...home.owner,
      body: { filter },
    });
    expect(body.count).toBe(found);
  });

  it('is refused for the same reasons as in a query', async () => {
    const collection = await newCollection(app, home);
    expect(outcome(await ask(app, collection, { filter: { $where: '1' } }))).toEqual([
      400,
      'InvalidArguments',
    ]);
    expect(outcome(await ask(app, collection, { filter: 'not json' }))).toEqual([400, 'InvalidArguments']);
  });

  it('may be longer than an address, by POST, in a list and in a stream', async () => {
    const collection = await newTypedCollection(app, home);
    const since = await now(app, collection);
    await insert(app, collection, { ...EMMA, year: 1 }, EMMA);
    const filter = { year: { $in: Array.from({ length: 4_000 }, (_, n) => n + 1_000) } };
    const path = `${collection.path}/changes`;
    const { status, body } = await app.request('POST', path, { ...home.owner, body: { since, filter } });
    expect([status, typesAndValues(body.changes, 'year')]).toEqual([200, [['inserted', EMMA.year]]]);
    const stream = await follow(app, collection, { since, filter }, { method: 'POST' });
    await until(() => stream.changes().length > 0);
    expect(stream.changes()).toEqual(
      body.changes.map((change: SeenChange) => ({ ...change, eventId: change.id })),
    );
    stream.close();
    const tooLong = { since, filter: { year: { $in: Array.from({ length: 20_000 }, (_, n) => n) } } };
    const refused = await app.request('POST', path, { ...home.owner, body: tooLong });
    expect(outcome(refused)).toEqual([413, 'PayloadTooLarge']);
  });

  it('lets a client page past the changes that it excludes', async () => {
    const collection = await newCollection(app, home);
    const since = await now(app, collection);
    for (let from = 0; from < 1500; from += 500) {
      const records = Array.from({ length: 500 }, (_, n) => ({ n: from + n }));
      await app.request('POST', `${collection.data}/bulk`, { ...home.owner, body: { records } });
    }
    const { body } = await ask(app, collection, { since, filter: { n: { $gte: 1400 } }, limit: 30 });
    expect([body.changes.length, body.has_more]).toEqual([0, true]);
    const rest = await pulled(app, collection, body.next_since, { filter: { n: { $gte: 1400 } }, limit: 30 });
    expect(rest.map(({ record }) => record.n)).toEqual(Array.from({ length: 100 }, (_, n) => 1400 + n));
  });
});

describe('a position in the feed', () => {
  it('starts now if it is absent, and at the oldest stored change if it is empty', async () => {
    const collection = await newCollection(app, home);
    await insert(app, collection, { n: 0 });
    const before = await ask(app, collection);
    expect([before.body.changes, before.body.has_more]).toEqual([[], false]);
    await insert(app, collection, { n: 1 });
    expect((await ask(app, collection)).body.changes).toEqual([]);
    const all = await ask(app, collection, { since: '' });
    expect(typesAndValues(all.body.changes, 'n')).toEqual([['inserted', 1]]);
  });

  it('is refused if it was changed or belongs to another collection', async () => {
    const [one, other] = [await newCollection(app, home), await newCollection(app, home)];
    const since = await now(app, one);
    const forged = (since.startsWith('A') ? 'B' : 'A') + since.slice(1);
    for (const [collection, position] of [
      [one, forged],
      [one, `${since}AAAA`],
      [one, 'x'],
      [other, since],
    ] as const) {
      expect(outcome(await ask(app, collection, { since: position }))).toEqual([400, 'InvalidArguments']);
    }
    expect((await ask(app, one, { since })).status).toBe(200);
  });

  it('pages through more changes than one answer contains', async () => {
    const collection = await newCollection(app, home);
    const since = await now(app, collection);
    await insert(app, collection, ...Array.from({ length: 25 }, (_, n) => ({ n })));
    const first = await ask(app, collection, { since, limit: 10 });
    expect([first.body.changes.length, first.body.has_more]).toEqual([10, true]);
    const rest = await pulled(app, collection, first.body.next_since, { limit: 10 });
    expect([...first.body.changes, ...rest].map(({ record }) => record.n)).toEqual(
      Array.from({ length: 25 }, (_, n) => n),
    );
  });

  it('are examined by a filter up to 4 MiB for one answer, and all of them by the answers that follow', async () => {
    const collection = await newCollection(app, home);
    const since = await now(app, collection);
    const text = 'x'.repeat(1024 * 1024);
    for (let n = 0; n < 6; n++) await insert(app, collection, { n, text });
    const filter = { n: { $gte: 5 } };
    const first = await ask(app, collection, { since, filter, limit: 1_000 });
    expect([first.body.changes, first.body.has_more]).toEqual([[], true]);
    const rest = await pulled(app, collection, first.body.next_since, { filter });
    expect(typesAndValues(rest, 'n')).toEqual([['inserted', 5]]);
  });

  it('include single changes of more than 4 MiB, whatever the filter', async () => {
    const collection = await newCollection(app, home);
    const since = await now(app, collection);
    const text = 'x'.repeat(5 * 1024 * 1024);
    for (let n = 0; n < 3; n++) await insert(app, collection, { n, text });
    const filter = { n: { $ne: 1 } };
    const values = (changes: SeenChange[]) => changes.map(({ record }) => record.n);
    expect(values(await pulled(app, collection, since))).toEqual([0, 1, 2]);
    expect(values(await pulled(app, collection, since, { filter }))).toEqual([0, 2]);
  });
});

describe('a schema change', () => {
  it('causes no changes of records; later changes use the new schema, earlier ones keep theirs', async () => {
    const collection = await newCollection(app, home, { properties: { n: { type: 'integer' } } });
    const since = await now(app, collection);
    await insert(app, collection, { n: 1, city: 'Bath' });
    const properties = { n: { type: 'double' }, city: { type: 'text' } };
    const changed = await app.request('PATCH', `${collection.path}/schema`, {
      ...home.owner,
      body: { properties },
    });
    expect(changed.status).toBe(200);
    await insert(app, collection, { n: 1.5, city: 'Lyme' });
    const changes = await pulled(app, collection, since);
    expect(changes.map(({ type, record: { n, city } }) => [type, n, city])).toEqual([
      ['inserted', 1, 'Bath'],
      ['inserted', 1.5, 'Lyme'],
    ]);
    const filter = { city: { $gt: 'B' }, n: { $lt: 1.2 } };
    expect(typesAndValues(await pulled(app, collection, since, { filter }), 'city')).toEqual([
      ['inserted', 'Bath'],
    ]);
  });
});

describe('a collection without followers', () => {
  it('has no trigger of the feed and stores no changes', async () => {
    const collection = await newCollection(app, home);
    await insert(app, collection, { n: 1 });
    expect(await triggersOf(app, collection, 'follow')).toEqual([]);
    await now(app, collection);
    expect(await triggersOf(app, collection, 'follow')).toHaveLength(3);
  });

  it('leaves no data behind when it is deleted', async () => {
    const collection = await newCollection(app, home);
    await now(app, collection);
    const { status } = await app.request('DELETE', collection.path, home.owner);
    expect(status).toBe(200);
    const schema = collection.table.split('.')[0];
    const name = `follow_${collection.id.replaceAll('-', '')}`;
    expect(await app.sql('SELECT FROM pg_proc WHERE proname = $1', [name])).toEqual([]);
    expect(
      await app.sql(`SELECT FROM ${schema}.record_feeds WHERE collection_id = $1`, [collection.id]),
    ).toEqual([]);
    expect(outcome(await ask(app, collection))).toEqual([404, 'CollectionNotFound']);
  });
});
