import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Home, newCollection, newHome, outcome, type TestCollection } from '../../harness/collection.js';

const CITY = { properties: ['address.city'] };

/** Many records with rare values at a path, and one record for each value on which types, lengths and lists differ. */
const VALUES = [
  'Rome 5',
  ['Rome 5', 'Rome 6'],
  [['Rome 5']],
  ['x'.repeat(500), 7],
  'x'.repeat(500),
  `${'x'.repeat(500)}y`,
  'é'.repeat(90),
  '5',
  5,
  5.5,
  -5,
  0,
  1e21,
  [1, 9],
  true,
  false,
  null,
  [],
  [null],
  {},
  { name: 'Rome 5' },
  { name: 'y'.repeat(300) },
  '日本',
  '𝄞',
];
const RECORDS = [
  ...VALUES.map((city, n) => ({ n, address: { city } })),
  { n: VALUES.length, address: 'none' },
  { n: VALUES.length + 1, address: [{ city: 'Rome 5' }, { city: 'Rome 7' }] },
  { n: VALUES.length + 2 },
  ...Array.from({ length: 5_000 }, (_, n) => ({ n: 1000 + n, address: { city: `Rome ${n % 500}` } })),
];

describe('an index on a path', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  const apply = ({ path }: TestCollection, body: object) =>
    app.request('POST', `${path}/indexes`, { ...home.owner, body });
  const filled = async (indexes: object[] = [], properties: object = {}) => {
    const collection = await newCollection(app, home, { properties });
    for (let at = 0; at < RECORDS.length; at += 5000) {
      const body = { records: RECORDS.slice(at, at + 5000) };
      const answer = await app.request('POST', `${collection.data}/bulk`, { ...home.owner, body });
      expect(answer.status).toBe(201);
    }
    if (indexes.length > 0) expect(outcome(await apply(collection, { indexes }))).toEqual([200, undefined]);
    return collection;
  };
  const query = async ({ data }: TestCollection, body: object): Promise<unknown[]> => {
    const answer = await app.request('POST', `${data}/query`, { ...home.owner, body });
    expect(outcome(answer)).toEqual([200, undefined]);
    return answer.body.records;
  };
  const found = async (collection: TestCollection, filter: object, sort?: object): Promise<unknown[]> => {
    const body = { filter, sort, limit: 1000, cursor: '', fields: { _id: 0, n: 1 } };
    return (await query(collection, body)).map(record => (record as { n: number }).n);
  };
  const explain = async ({ data }: TestCollection, body: object) =>
    (await app.request('POST', `${data}/explain`, { ...home.owner, body })).body;

  it('is kept, returned and removed', async () => {
    const collection = await filled();
    const indexes = [CITY, { properties: ['n', 'address.city'] }];
    const dry = await apply(collection, { indexes, dry_run: true });
    expect(dry.body).toMatchObject({ applied: false, created: { indexes } });
    expect((await apply(collection, { indexes })).body).toMatchObject({ applied: true, indexes });
    expect((await app.request('GET', collection.path, home.owner)).body.indexes).toEqual(indexes);
    expect((await apply(collection, { indexes: [] })).body.indexes).toEqual([]);
    const names = await app.sql('SELECT indexname FROM pg_indexes WHERE tablename = $1', [
      `c_${collection.id.replaceAll('-', '')}`,
    ]);
    expect(names.filter(({ indexname }) => /^[iso]_/.test(indexname))).toEqual([]);
  });

  it.each<[object, string]>([
    [{ indexes: [{ properties: ['adress.city'] }] }, 'allow_unknown'],
    [{ indexes: [{ properties: ['address..city'] }] }, 'indexes.0.properties'],
    [{ indexes: [{ properties: ['title.city'] }] }, 'title is a column of the type text'],
    [{ indexes: [CITY, CITY] }, 'listed twice'],
    [{ uniques: [CITY] }, 'a unique constraint needs columns'],
  ])('is refused where it cannot be: %j', async (body, says) => {
    const collection = await newCollection(app, home, { properties: { title: { type: 'text' } } });
    await app.request('POST', collection.data, { ...home.owner, body: { records: RECORDS.slice(0, 9) } });
    for (const each of [body, { ...body, dry_run: true }]) {
      const answer = await apply(collection, each);
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
      expect(answer.body.message).toContain(says);
    }
  });

  it('may name a field that no record has if the request allows it', async () => {
    const body = { name: 'unknown_fields', indexes: [CITY] };
    expect((await app.request('POST', '/v1/collections', { ...home.owner, body })).status).toBe(400);
    const allowed = await app.request('POST', '/v1/collections', {
      ...home.owner,
      body: { ...body, allow_unknown: true },
    });
    expect(outcome(allowed)).toEqual([200, undefined]);
    const collection = await newCollection(app, home, {});
    expect((await apply(collection, { indexes: [CITY], allow_unknown: true })).body.indexes).toEqual([CITY]);
  });

  it('serves equality, lists of values and ranges, alone and with other conditions', async () => {
    const collection = await filled([CITY]);
    for (const test of ['Rome 77', { $in: ['Rome 77', 'Rome 78'] }, { $gt: 'Rome 77', $lt: 'Rome 78' }]) {
      for (const filter of [{ 'address.city': test }, { 'address.city': test, n: { $gt: 0 } }]) {
        const explained = await explain(collection, { filter });
        expect(explained, JSON.stringify(filter)).toMatchObject({ index: CITY, uses_index: true });
        expect(explained.scanned_rows, JSON.stringify(filter)).toBeLessThan(200);
      }
    }
  });

  it('changes no answer, whatever the values are', async () => {
    const json = { address: { type: 'json' } };
    const collections = [await filled(), await filled([CITY]), await filled([CITY], json)];
    const [plain, ...indexed] = collections;
    const operands = VALUES.filter(value => typeof value !== 'object' || value === null);
    const tests = [
      ...VALUES.flatMap(value => [value, { $ne: value }, { $in: [value, 'Rome 9'] }, { $nin: [value] }]),
      ...VALUES.map(value => ({ $all: [value] })),
      ...operands.flatMap(value => ['$gt', '$gte', '$lt', '$lte'].map(operator => ({ [operator]: value }))),
      { $gte: 'Rome 12', $lt: 'Rome 13' },
      { $in: [] },
      { $exists: true },
      { $elemMatch: { $eq: 'Rome 5' } },
      { $regex: '^Rome 5' },
    ];
    for (const test of tests) {
      const filter = { 'address.city': test };
      const expected = await found(plain!, filter);
      for (const collection of indexed) {
        expect(await found(collection, filter), JSON.stringify(filter)).toEqual(expected);
      }
    }
  });

  it('gives every page of every sort as without it, in both directions', async () => {
    const json = { address: { type: 'json' } };
    const [plain, ...indexed] = [await filled(), await filled([CITY]), await filled([CITY], json)];
    const inPages = async (
      { data }: TestCollection,
      { at, ...body }: { sort: object; at?: unknown },
      pages: number,
    ) => {
      const read = async (cursor: string) => {
        const from = cursor === '' && at !== undefined ? { at } : { cursor };
        const asked = { ...body, ...from, limit: 9, fields: { _id: 0, n: 1 } };
        const answer = await app.request('POST', `${data}/query`, { ...home.owner, body: asked });
        expect(outcome(answer)).toEqual([200, undefined]);
        return answer.body;
      };
      const forward: unknown[] = [];
      const backward: unknown[] = [];
      let page = await read('');
      for (let at = 1; at < pages && page.next_cursor !== null; at += 1) {
        forward.push(...page.records);
        page = await read(page.next_cursor);
      }
      forward.push(...page.records);
      for (let at = 0; at < pages && page.prev_cursor; at += 1) {
        page = await read(page.prev_cursor);
        backward.unshift(...page.records);
      }
      return [forward, backward];
    };
    const few = { n: { $lt: 1010 } };
    const bodies = [1, -1].flatMap(direction => [
      { sort: { 'address.city': direction }, filter: few },
      { sort: { 'address.city': direction }, filter: { ...few, 'address.city': { $gte: 'Rome 5' } } },
      { sort: { 'address.city': direction, n: -1 }, filter: few },
      { sort: { n: direction }, filter: { 'address.city': { $in: ['Rome 5', 'Rome 7', 'Rome 8'] } } },
      { sort: { _id: direction }, filter: { 'address.city': { $in: ['Rome 5', 'Rome 7', 'Rome 8'] } } },
      { sort: { 'address.city': direction }, filter: { 'address.city': 'Rome 5' } },
    ]);
    for (const body of bodies) {
      const expected = await inPages(plain!, body, 6);
      for (const collection of indexed) {
        expect(await inPages(collection, body, 6), JSON.stringify(body)).toEqual(expected);
      }
    }
    for (const at of ['Rome 5', 5, 'x', null, true]) {
      for (const direction of [1, -1]) {
        const body = { sort: { 'address.city': direction }, at };
        const expected = await inPages(plain!, body, 2);
        for (const collection of indexed) {
          expect(await inPages(collection, body, 2), JSON.stringify(body)).toEqual(expected);
        }
      }
    }
    for (const page of [3, 112]) {
      const body = { sort: { 'address.city': 1 }, page, limit: 10, fields: { _id: 0, n: 1 } };
      const expected = await query(plain!, body);
      for (const collection of indexed) expect(await query(collection, body)).toEqual(expected);
    }
  });

  it('reads a page of few records whatever the number of matches is', async () => {
    const [both, other] = [{ properties: ['kind', 'address.city'] }, { properties: ['kind', 'n'] }];
    const collection = await newCollection(app, home, {
      properties: { kind: { type: 'text' }, n: { type: 'integer' } },
    });
    const records = Array.from({ length: 5_000 }, (_, n) => ({
      n,
      kind: `k${n % 5}`,
      address: { city: `Rome ${n % 7}` },
    }));
    await app.request('POST', `${collection.data}/bulk`, { ...home.owner, body: { records } });
    await apply(collection, { indexes: [CITY, both, other] });
    const bodies: [object, object][] = [
      [{ filter: { 'address.city': 'Rome 3' } }, CITY],
      [{ filter: { 'address.city': { $in: ['Rome 3', 'Rome 4'] } } }, CITY],
      [{ filter: { 'address.city': { $gte: 'Rome 3' } }, sort: { 'address.city': -1 } }, CITY],
      [{ sort: { 'address.city': 1 } }, CITY],
      [{ filter: { kind: 'k3', 'address.city': { $in: ['Rome 3', 'Rome 4'] } } }, both],
      [{ filter: { kind: { $in: ['k1', 'k2', 'k1'] } }, sort: { n: -1 } }, other],
    ];
    for (const [body, index] of bodies) {
      const explained = await explain(collection, { ...body, limit: 10 });
      expect(explained, JSON.stringify(body)).toMatchObject({ index, returned_rows: 10 });
      expect(explained.scanned_rows, JSON.stringify(body)).toBeLessThan(60);
    }
  });

  it('follows later writes', async () => {
    const collection = await filled([CITY]);
    const body = { records: { n: -1, address: { city: 'Oslo' } } };
    const { body: inserted } = await app.request('POST', collection.data, { ...home.owner, body });
    expect(await found(collection, { 'address.city': 'Oslo' })).toEqual([-1]);
    const record = `${collection.data}/${inserted.ids[0]}`;
    await app.request('PATCH', record, {
      ...home.owner,
      body: { $set: { 'address.city': ['Oslo', 'Bergen'] } },
    });
    expect(await found(collection, { 'address.city': 'Bergen' })).toEqual([-1]);
    await app.request('PATCH', record, { ...home.owner, body: { address: { city: 'x'.repeat(9000) } } });
    expect(await found(collection, { 'address.city': 'Oslo' })).toEqual([]);
    expect(await found(collection, { 'address.city': 'x'.repeat(9000) })).toEqual([-1]);
  });

  it('follows its field into a column', async () => {
    const collection = await filled([CITY, { properties: ['n'] }]);
    const change = { properties: { n: { type: 'integer' }, address: { type: 'json' } } };
    const answer = await app.request('PATCH', `${collection.path}/schema`, { ...home.owner, body: change });
    expect(answer.status).toBeLessThan(203);
    const current = () => app.request('GET', collection.path, home.owner);
    await expect.poll(async () => (await current()).body.status).toBe('ready');
    expect((await current()).body.indexes).toEqual([CITY, { properties: ['n'] }]);
    expect(await explain(collection, { filter: { 'address.city': 'Rome 77' } })).toMatchObject({
      index: CITY,
    });
    expect(await explain(collection, { filter: { n: 1077 } })).toMatchObject({
      index: { properties: ['n'] },
      scanned_rows: 1,
    });
    const names = await app.sql('SELECT indexname FROM pg_indexes WHERE tablename = $1', [
      `c_${collection.id.replaceAll('-', '')}`,
    ]);
    expect(names.filter(({ indexname }) => /^[iso]_/.test(indexname))).toHaveLength(3);
  });

  it('keeps its field from becoming a column that has no fields', async () => {
    const collection = await filled([CITY]);
    const body = { properties: { address: { type: 'text' } } };
    const answer = await app.request('PATCH', `${collection.path}/schema`, { ...home.owner, body });
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain('address.city');
  });
});
