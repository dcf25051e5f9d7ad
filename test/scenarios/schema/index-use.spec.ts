import { beforeAll, describe, expect, it } from 'vitest';
import { Cte, render, sql } from '../../../src/base/sql/index.js';
import { type Position, parseFilter, parseSort } from '../../../src/engine/filter/index.js';
import { eraseChangesStatement } from '../../../src/engine/storage/changes/erase-changes.js';
import type { CollectionShape } from '../../../src/engine/storage/collection-shape.js';
import { pageStatement } from '../../../src/engine/storage/records/page.js';
import { lockedIds, type Selection } from '../../../src/engine/storage/records/selection.js';
import { rendered } from '../../../src/engine/storage/statement.js';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Home, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { changeSchema } from './database.js';

const ROWS = 20_000;
const on = (...properties: string[]) => ({ properties });

describe('the plan of a query', () => {
  let app: TestApp;
  let home: Home;
  let collection: TestCollection;
  let shape: CollectionShape;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    collection = await filled();
    shape = await shapeOf(collection);
  });

  /** A table with many records whose fields became columns and then got indexes, all through the service. */
  const filled = async () => {
    const collection = await newCollection(app, home, { settings: { max_records: ROWS } });
    await app.sql(
      `INSERT INTO ${collection.table} (_id, created_at, updated_at, x)
       SELECT gen_random_uuid(), now(), now(), jsonb_build_object('name', 'name' || n, 'year', n % 1000, 'price', n / 7.0,
         'day', date '2000-01-01' + n % 5000, 'at', timestamptz '2020-01-01Z' + n * interval '1 minute', 'lent', n % 2 = 0,
         'tags', jsonb_build_array('t' || n % 900), 'details', jsonb_build_object('city', 'city' || n % 900))
       FROM generate_series(1, ${ROWS}) n`,
    );
    const types = {
      name: 'text',
      year: 'integer',
      price: 'double',
      day: 'date',
      at: 'datetime',
      lent: 'boolean',
      tags: 'array',
      details: 'json',
    };
    const properties = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }]));
    const { path, owner } = collection;
    expect((await changeSchema(app, collection, properties)).status).toBe(200);
    const indexes = [...Object.keys(types).map(name => on(name)), on('lent', 'year')];
    expect((await app.request('POST', `${path}/indexes`, { ...owner, body: { indexes } })).status).toBe(200);
    return collection;
  };

  const shapeOf = async ({ id }: TestCollection): Promise<CollectionShape> => {
    const [row] = await app.sql('SELECT id, org_id, version, columns FROM collections WHERE id = $1', [id]);
    return {
      id: row.id,
      orgId: row.org_id,
      version: Number(row.version),
      mayExpire: true,
      columns: row.columns,
    };
  };

  interface Page {
    readonly filter?: object;
    readonly sort?: object;
    readonly after?: Position;
    readonly at?: number;
    readonly isBackward?: boolean;
    readonly offset?: number;
    readonly mayExpire?: boolean;
  }

  const plan = async (query: Page): Promise<string> => {
    const { mayExpire = true } = query;
    const statement = pageStatement(
      { ...shape, mayExpire },
      {
        filter: query.filter && parseFilter(query.filter),
        sort: parseSort(query.sort),
        projection: undefined,
        limit: 20,
        offset: query.offset ?? 0,
        after: query.after,
        at: query.at,
        isBackward: query.isBackward ?? false,
        isIndexed: true,
        withPosition: true,
        withTotal: false,
      },
    );
    const { text, values } = rendered(statement);
    const rows = await app.sql(`EXPLAIN ${text}`, values);
    return rows.map(row => row['QUERY PLAN']).join('\n');
  };
  /** The number of a column, which is part of the names of its indexes. */
  const numbers = (...names: string[]) =>
    names.map(name => shape.columns[name]?.number.toString(16).padStart(3, '0')).join('');
  const scans = (...names: string[]) =>
    new RegExp(`Scan.* (using|on) i_[0-9a-z]{12}_${numbers(...names)}\\b`);

  it.each([
    ['name', 'name4711'],
    ['year', 47],
    ['price', 1],
    ['day', '2003-05-06'],
    ['at', '2020-01-03T04:05:00Z'],
  ])('finds one %s with its index', async (field, value) => {
    expect(await plan({ filter: { [field]: value } })).toMatch(scans(field));
    expect(await plan({ filter: { [field]: { $in: [value] } } })).toMatch(scans(field));
  });

  it.each([
    ['name', { $gt: 'name47', $lt: 'name48' }],
    ['name', { $regex: '^name471' }],
    ['year', { $gte: 3, $lte: 5 }],
    ['price', { $lt: 3 }],
    ['day', { $gt: '2000-01-01', $lt: '2000-01-09' }],
    ['at', { $lt: '2020-01-01T00:30:00Z' }],
  ])('finds a range of %s with its index: %j', async (field, condition) => {
    const found = await plan({ filter: { [field]: condition } });
    expect(found).toMatch(scans(field));
    expect(found).toMatch(/Index Cond: .*[<>]/);
  });

  it.each([
    ['tags', { tags: 't7' }],
    ['details', { 'details.city': 'city7' }],
  ])('finds values inside %s with its index', async (field, filter) => {
    expect(await plan({ filter })).toMatch(scans(field));
  });

  it('finds by two columns with the index over both', async () => {
    expect(await plan({ filter: { lent: true, year: 46 } })).toMatch(scans('lent', 'year'));
  });

  const middle = '01890000-0000-7000-8000-000000000000';
  it.each([
    ['first page ascending', { sort: { year: 1 } }],
    ['first page descending', { sort: { year: -1 } }],
    ['page after a cursor ascending', { sort: { year: 1 }, after: ['500', middle] }],
    ['page after a cursor descending', { sort: { year: -1 }, after: ['500', middle] }],
    ['page after a null ascending', { sort: { year: 1 }, after: [null, middle] }],
    ['page after a null descending', { sort: { year: -1 }, after: [null, middle] }],
    [
      'filtered page after a cursor',
      { filter: { year: { $gt: 10 } }, sort: { year: 1 }, after: ['500', middle] },
    ],
  ])('reads the %s in index order, without sorting', async (_, query) => {
    const found = await plan(query);
    expect(found).toMatch(scans('year'));
    expect(found).not.toMatch(/Sort +\(cost/);
  });

  it.each([
    ['page after a cursor, ascending', { sort: { year: 1 }, after: ['500', middle] }],
    ['page after a cursor, descending', { sort: { year: -1 }, after: ['500', middle] }],
    ['page before a cursor, ascending', { sort: { year: 1 }, after: ['500', middle], isBackward: true }],
    ['page before a cursor, descending', { sort: { year: -1 }, after: ['500', middle], isBackward: true }],
    ['page from a value, descending', { sort: { year: -1 }, at: 500 }],
    [
      'page before a cursor of two fields',
      { sort: { year: 1, name: 1 }, after: ['500', 'name500', middle], isBackward: true },
    ],
  ])('begins to read the %s at its place in the index', async (_, query) => {
    const found = await plan(query);
    expect(found).toMatch(scans('year'));
    const number = shape.columns.year?.number;
    expect(found).toMatch(new RegExp(`Index Cond: .*\\bc${number}\\b.* [<>]=? `));
  });

  it.each([
    ['insertion', {}, '_pkey'],
    ['an index ascending', { sort: { year: 1 } }, 'i_'],
    ['an index descending', { sort: { year: -1 } }, 'i_'],
    ['an index with a range', { filter: { year: { $gte: 100 } }, sort: { year: 1 } }, 'i_'],
  ])(
    'finds the records of a high page number in the order of %s by the index alone',
    async (_, query, name) => {
      await app.sql(`VACUUM ${collection.table}`);
      const found = await plan({ ...query, offset: 5_000, mayExpire: false });
      expect(found).toMatch(new RegExp(`Limit.*\\n.*Index Only Scan (Backward )?using \\w*${name}`));
      expect(found).toMatch(/Index Scan using \w+_pkey on \w+ t/);
      expect(found).not.toMatch(/Seq Scan on c_/);
    },
  );

  it.each([
    ['oldest', { oldest: true }],
    ['first few', { atMost: 5 }],
  ] as const)(
    'finds the %s to write by the index of the field, also if PostgreSQL expects many to match',
    async (_, which) => {
      const selection: Selection = { filter: parseFilter({ year: { $gte: 10, $lt: 30 } }), ...which };
      const current = new Cte('version_check', sql`SELECT 1`);
      const { text, values } = render(lockedIds(shape, selection, current));
      const rows = await app.sql(`EXPLAIN WITH version_check AS (SELECT 1) ${text}`, values);
      const found = rows.map(row => row['QUERY PLAN']).join('\n');
      expect(found).toMatch(scans('year'));
      expect(found).not.toContain('_pkey');
    },
  );

  it('erases the changes of a record by an index', async () => {
    const changes = `${collection.table.split('.')[0]}.record_changes`;
    await app.sql(
      `INSERT INTO ${changes} (collection_id, xid, type, record_id, record)
       SELECT $1, n, 'insert', gen_random_uuid(), '{}' FROM generate_series(1, ${ROWS}) n`,
      [collection.id],
    );
    await app.sql(`ANALYZE ${changes}`);
    const { text, values } = render(eraseChangesStatement(shape, middle));
    const found = (await app.sql(`EXPLAIN ${text}`, values)).map(row => row['QUERY PLAN']).join('\n');
    expect(found).toMatch(/using record_changes_record/);
    expect(found).not.toContain('Seq Scan');
    expect(found.match(/using record_changes_pkey/g)).toHaveLength(2);
    await app.sql(`DELETE FROM ${changes} WHERE collection_id = $1`, [collection.id]);
  });
});
