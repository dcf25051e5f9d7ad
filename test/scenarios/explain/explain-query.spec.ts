import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import {
  type Caller,
  eventsOf,
  type Home,
  insert,
  newCollection,
  newHome,
  newTypedCollection,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { newKey, newMember } from '../orgs/org.js';

const ROWS = 20_000;
const NAMES = ['name', 'year', 'price', 'tags', 'shelf'] as const;
const on = (...properties: string[]) => ({ properties });

interface Step {
  readonly step: string;
  readonly rows: number;
  readonly ms: number;
  readonly children: readonly Step[];
}

const stepsOf = ({ step, children }: Step): string[] => [step, ...children.flatMap(stepsOf)];

describe('POST /v1/collections/{collection_id}/data/explain', () => {
  let app: TestApp;
  let home: Home;
  /** Without indexes. */
  let plain: TestCollection;
  /** With indexes on year, on price, on year and name, and on tags. */
  let indexed: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    plain = await filled();
    indexed = await filled([on('year'), on('price'), on('name', 'year'), on('tags')]);
  });

  /** A collection with many records, written by the database itself, and then indexes. */
  const filled = async (indexes: object[] = []): Promise<TestCollection> => {
    const types = { name: 'text', year: 'integer', price: 'double', tags: 'array', shelf: 'text' };
    const properties = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }]));
    const collection = await newCollection(app, home, { properties, settings: { max_records: ROWS } });
    const [{ columns }] = await app.sql('SELECT columns FROM collections WHERE id = $1', [collection.id]);
    const physical = NAMES.map(name => `c${columns[name].number}`);
    await app.sql(
      `INSERT INTO ${collection.table} (_id, created_at, updated_at, x, ${physical})
       SELECT gen_random_uuid(), now(), now(), jsonb_build_object('city', 'city' || n % 900),
         'name' || n, n % 1000, n / 7.0, jsonb_build_array('t' || n % 900), 's' || n % 5
       FROM generate_series(1, ${ROWS}) n`,
    );
    await app.sql(`ANALYZE ${collection.table}`);
    if (indexes.length > 0) {
      const body = { indexes };
      const { status } = await app.request('POST', `${collection.path}/indexes`, { ...home.owner, body });
      expect(status).toBe(200);
    }
    return collection;
  };

  const post = (body: unknown, { data, owner } = indexed, caller: Caller = owner) =>
    app.request('POST', `${data}/explain`, { ...caller, body });
  const explain = async (body: object, collection = indexed) => {
    const answer = await post(body, collection);
    expect(outcome(answer)).toEqual([200, undefined]);
    return answer.body;
  };

  it('shows that a filter without an index reads all records, and which index would help', async () => {
    const { plan, duration_ms, ...found } = await explain({ filter: { year: 47 } }, plain);
    expect(found).toEqual({
      index: null,
      uses_index: false,
      estimated_rows: expect.any(Number),
      returned_rows: 20,
      scanned_rows: ROWS,
      advice: on('year'),
    });
    expect(found.estimated_rows).toBeGreaterThan(0);
    expect(duration_ms).toBeGreaterThan(0);
    expect(stepsOf(plan)).toContain('read all records, keep those that match');
    expect(plan).toEqual({
      step: expect.any(String),
      rows: 20,
      ms: expect.any(Number),
      children: expect.any(Array),
    });
  });

  it('shows the index that a filter used, and gives no advice then', async () => {
    const { plan, ...found } = await explain({ filter: { year: 47 } });
    expect(found).toMatchObject({ index: on('year'), uses_index: true, returned_rows: 20, advice: null });
    expect(found.scanned_rows).toBeLessThanOrEqual(100);
    expect(found.indexes).toBeUndefined();
    expect(stepsOf(plan).join()).toContain('the index on year');
  });

  it('gives advice that helps: with the index it reads what it returns', async () => {
    const collection = await filled();
    const body = { filter: { shelf: 's1', price: { $lt: 20 } }, sort: { price: -1 }, limit: 5 };
    const { advice } = await explain(body, collection);
    expect(advice).toEqual(on('shelf', 'price'));
    const indexes = [advice];
    await app.request('POST', `${collection.path}/indexes`, { ...home.owner, body: { indexes } });
    const found = await explain(body, collection);
    expect(found).toMatchObject({ index: advice, returned_rows: 5, scanned_rows: 5, advice: null });
  });

  it.each<[string, object, object | null]>([
    ['a range', { filter: { price: { $lt: 3 } } }, on('price')],
    ['a list of values', { filter: { name: { $in: ['name1', 'name2'] } } }, on('name')],
    ['text that values begin with', { filter: { name: { $regex: '^name471' } } }, on('name')],
    ['a value inside lists', { filter: { tags: 't7' } }, on('tags')],
    ['a sort', { sort: { price: -1, name: -1 } }, on('price', 'name')],
    ['a sort in two directions', { sort: { price: -1, name: 1 } }, on('price')],
    ['equal values before ranges', { filter: { price: { $gt: 2800 }, year: 7 } }, on('year', 'price')],
    ['a selective range before a sort', { filter: { price: { $lt: 3 } }, sort: { name: 1 } }, on('price')],
    ['a text anywhere', { filter: { name: { $regex: '471$' } } }, null],
    ['conditions of which one must hold', { filter: { $or: [{ year: 7 }, { price: 1 }] } }, null],
    ['a filter that matches nearly all records', { filter: { year: { $gt: 7 } } }, null],
    ['all records', {}, null],
  ])('advises on %s', async (_, body, advice) => {
    expect((await explain(body, plain)).advice).toEqual(advice);
  });

  it('names all indexes when several are used', async () => {
    const { index, indexes } = await explain({
      filter: { $or: [{ year: 7 }, { name: 'name9' }] },
      limit: 100,
    });
    expect(indexes).toHaveLength(2);
    expect(indexes).toEqual(expect.arrayContaining([on('year'), on('name', 'year')]));
    expect(indexes).toContainEqual(index);
  });

  it('counts the index of the ids as used, but has no entry for it', async () => {
    const { plan, ...found } = await explain({});
    expect(found).toMatchObject({ index: null, uses_index: true, returned_rows: 20, scanned_rows: 20 });
    expect(stepsOf(plan)).toContain('read all records in the order of their ids');
  });

  it.each<[string, object]>([
    ['a page', { filter: { year: { $lt: 3 } }, limit: 7 }],
    ['a page by number', { sort: { price: 1 }, page: 3, limit: 10 }],
    ['the last page by number', { filter: { year: 3 }, page: 2, limit: 15 }],
    ['a page by cursor', { sort: { year: 1 }, cursor: '', limit: 200 }],
    ['the last page by cursor', { filter: { year: { $lt: 2 } }, cursor: 'end', limit: 30 }],
    ['a page from a value on', { sort: { price: 1 }, at: 2856.9, limit: 10 }],
    ['a total', { filter: { tags: 't7' }, with_total: true }],
    ['cut values and tags', { filter: { year: 3 }, preview: 20, with_etags: true, fields: ['name'] }],
    ['no record', { filter: { year: -1 } }],
    ['no possible record', { filter: { year: { $in: [] } } }],
  ])('returns as many rows as the read does: %s', async (_, body) => {
    const { status, body: page } = await app.request('POST', `${indexed.data}/query`, {
      ...home.owner,
      body,
    });
    expect(status).toBe(200);
    const { returned_rows, plan } = await explain(body);
    expect(returned_rows).toBe(page.count);
    expect(stepsOf(plan).length).toBeGreaterThan(0);
  });

  it('continues after a cursor of the same query', async () => {
    const query = { sort: { price: 1 }, limit: 10 };
    const first = await app.request('POST', `${indexed.data}/query`, {
      ...home.owner,
      body: { ...query, cursor: '' },
    });
    const cursor = first.body.next_cursor;
    expect(await explain({ ...query, cursor })).toMatchObject({ index: on('price'), returned_rows: 10 });
    expect(outcome(await post({ ...query, cursor, sort: { price: -1 } }))).toEqual([400, 'InvalidArguments']);
  });

  it('explains an aggregation', async () => {
    const steps = [{ type: 'count', output_field: 'n' }];
    const all = await explain({ aggregate: { steps, group_by: 'year' } });
    expect(all).toMatchObject({ returned_rows: 1000, scanned_rows: ROWS, advice: null });
    expect(stepsOf(all.plan)).toContain('group');
    const filter = { price: { $lt: 3 } };
    expect(await explain({ aggregate: { steps, filter } }, plain)).toMatchObject({
      returned_rows: 1,
      scanned_rows: ROWS,
      advice: on('price'),
    });
    const some = await explain({ aggregate: { steps, filter, group_by: 'year', limit: 2 } });
    expect(some).toMatchObject({ index: on('price'), returned_rows: 2, scanned_rows: 20 });
  });

  it('refuses fields of a query beside an aggregation, and what the read itself refuses', async () => {
    const aggregate = { steps: [{ type: 'count', output_field: 'n' }] };
    for (const [body, says] of [
      [{ aggregate, filter: { year: 1 } }, 'filter: '],
      [{ aggregate, limit: 5 }, 'limit: '],
      [{ aggregate: {} }, 'steps'],
      [{ aggregate: { ...aggregate, group_by: 7 } }, 'field name'],
      [{ filter: { $where: 'x' } }, '$where'],
      [{ filter: { name: { $regex: '(' } } }, '$regex'],
      [{ limit: 101 }, 'limit'],
      [{ cursor: '', page: 1 }, 'cursor'],
      [{ explain: true }, 'explain'],
    ] as const) {
      const answer = await post(body);
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
      expect(answer.body.message).toContain(says);
    }
  });

  it('shows no SQL and no name of a table, a column of a table or an index', async () => {
    const requests = [
      {},
      { filter: { year: 47, 'details.a': 1, city: 'city7' }, sort: { city: 1 }, with_total: true },
      { filter: { $or: [{ year: 7 }, { tags: 't7' }], name: { $regex: '^n' } }, at: 1, sort: { price: 1 } },
      { filter: { tags: { $elemMatch: { $in: ['t1'] } } }, preview: 20, with_etags: true, cursor: '' },
      { aggregate: { steps: [{ type: 'max', input_field: 'city', output_field: 'm' }], group_by: 'tags' } },
    ];
    for (const collection of [plain, indexed]) {
      for (const body of requests) {
        const text = JSON.stringify(await explain(body, collection));
        expect(text).not.toContain(collection.id.replaceAll('-', ''));
        expect(text).not.toMatch(/org_|pkey|jsonb|::|\bc\d|\b[iue]_|select|collections|version|scan"/i);
      }
    }
  });

  it('tells readers and keys that may read, and nobody else', async () => {
    const reader = await newMember(app, home.org);
    const grant = { principal_type: 'user', principal_id: reader.userId, role: 'reader' };
    await app.request('POST', `${indexed.path}/access`, { ...home.owner, body: grant });
    const keyed = await app.request('POST', `${indexed.path}/api-keys`, {
      ...home.owner,
      body: { name: 'Reading', slug: `reading-${indexed.name}`, permissions: ['collections:read'] },
    });
    const stranger = await newMember(app, home.org);
    const foreign = await newKey(app, (await newHome(app)).org);
    const cases: [Caller, ReturnType<typeof outcome>][] = [
      [{ token: reader.token }, [200, undefined]],
      [{ key: keyed.body.secret }, [200, undefined]],
      [{ token: stranger.token }, [404, 'CollectionNotFound']],
      [{ key: foreign.apiKey }, [404, 'CollectionNotFound']],
      [{}, [401, 'Unauthorized']],
    ];
    for (const [caller, expected] of cases) {
      expect(outcome(await post({ filter: { year: 1 } }, indexed, caller))).toEqual(expected);
    }
  });

  it('writes nothing', async () => {
    const before = await eventsOf(app, indexed);
    await explain({ filter: { year: 1 } });
    expect(await eventsOf(app, indexed)).toEqual(before);
  });

  it('plans again when the collection has changed since it was read', async () => {
    await explain({ filter: { year: 1 } });
    const [{ columns }] = await app.sql('SELECT columns FROM collections WHERE id = $1', [indexed.id]);
    await app.sql('UPDATE collections SET version = version + 1 WHERE id = $1', [indexed.id]);
    expect(Object.keys(columns)).toContain('year');
    expect(await explain({ filter: { year: 1 } })).toMatchObject({ returned_rows: 20, index: on('year') });
  });

  it('counts records that have expired as read, but not as returned', async () => {
    const collection = await newTypedCollection(app, home);
    const ids = await insert(app, collection, { year: 1 }, { year: 1 });
    await app.sql('UPDATE collections SET may_expire = true, version = version + 1 WHERE id = $1', [
      collection.id,
    ]);
    await app.sql(`UPDATE ${collection.table} SET expires_at = now() - interval '1 s' WHERE _id = $1`, [
      ids[0],
    ]);
    expect(await explain({ filter: { year: 1 } }, collection)).toMatchObject({
      returned_rows: 1,
      scanned_rows: 2,
    });
  });

  it('reads values of any length', async () => {
    const collection = await newTypedCollection(app, home);
    await insert(app, collection, { title: 'x'.repeat(400_000) }, { title: 'y' });
    expect(await explain({}, collection)).toMatchObject({ returned_rows: 2, scanned_rows: 2 });
  });

  it('stops at the timeout of statements, without telling what it was executing', async () => {
    const collection = await newTypedCollection(app, home);
    await insert(app, collection, { title: 'x'.repeat(301) });
    const hasty = await startOwnApp({
      database: { url: app.settings.DATABASE_URL as string },
      environment: { DATABASE_STATEMENT_TIMEOUT_MS: '1000' },
    });
    try {
      const { apiKey: key } = await newKey(app, home.org);
      const body = { filter: { title: { $regex: '^(x*)(x*)(x*)(x*)\\1\\2\\3\\4$' } } };
      const slow = await hasty.request('POST', `${collection.data}/explain`, { key, body });
      expect(outcome(slow)).toEqual([400, 'QueryTimeout']);
      expect(slow.text).not.toMatch(/explain|select|c_/i);
    } finally {
      await hasty.close();
    }
  });
});
