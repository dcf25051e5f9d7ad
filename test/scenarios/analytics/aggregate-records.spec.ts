import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  eventsOf,
  expire,
  type Home,
  insert,
  newHome,
  newTypedCollection,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';

const COUNT = { type: 'count', output_field: 'n' };
const step = (type: string, input_field: string, output_field = 'v') => ({ type, input_field, output_field });

describe('POST /v1/collections/{collection_id}/data/aggregate', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    books = await newTypedCollection(app, home);
    const ids = await insert(
      app,
      books,
      {
        title: 'a',
        year: 1,
        price: 0.5,
        lent: true,
        printed: '2026-01-01',
        shelf: 1,
        details: { pages: 10, kind: 'x' },
      },
      {
        title: 'a',
        year: 2,
        price: 1.5,
        lent: false,
        read_at: '2026-01-01T00:00:00Z',
        shelf: '1',
        details: { pages: 20, kind: 'x' },
      },
      {
        title: 'b',
        year: 3,
        price: null,
        printed: '2025-01-01',
        shelf: 2.5,
        details: { pages: 'many', kind: 'y' },
      },
      { title: null, year: null, shelf: null, tags: ['p', 'q'] },
      { title: 'gone', year: 1_000_000, price: 1e300, shelf: 1e9 },
    );
    await expire(app, books, ids[4] as string);
  });

  const aggregate = (body: unknown, { data, owner } = books) =>
    app.request('POST', `${data}/aggregate`, { ...owner, body });
  const results = async (body: object, collection = books) => {
    const answer = await aggregate(body, collection);
    expect(outcome(answer)).toEqual([200, undefined]);
    expect(Object.keys(answer.body)).toEqual(['results']);
    return answer.body.results;
  };

  it.each<[string, object, unknown]>([
    ['counts records', { type: 'count', output_field: 'v' }, 4],
    ['counts values that are not null', step('count', 'year'), 3],
    ['counts values of a flexible field', step('count', 'shelf'), 3],
    ['sums integers', step('sum', 'year'), 6],
    ['sums doubles', step('sum', 'price'), 2],
    ['sums the numbers of a flexible field', step('sum', 'shelf'), 3.5],
    ['sums the numbers inside a json column', step('sum', 'details.pages'), 30],
    ['averages, skipping nulls', step('avg', 'price'), 1],
    ['averages integers as doubles', step('avg', 'details.pages'), 15],
    ['sums nothing to 0', step('sum', 'unknown'), 0],
    ['averages nothing to null', step('avg', 'unknown'), null],
    ['finds no minimum of nothing', step('min', 'unknown'), null],
    ['finds no maximum of nothing', step('max', 'unknown.deeper'), null],
    ['finds the least integer', step('min', 'year'), 1],
    ['finds the greatest double', step('max', 'price'), 1.5],
    ['finds the greatest text', step('max', 'title'), 'b'],
    ['finds the least text', step('min', 'title'), 'a'],
    ['finds the earliest day', step('min', 'printed'), '2025-01-01'],
    ['finds the latest instant', step('max', 'read_at'), '2026-01-01T00:00:00.000Z'],
    ['finds the least boolean', step('min', 'lent'), false],
    ['finds the greatest boolean', step('max', 'lent'), true],
    ['finds the least of mixed values, in MongoDB’s order of types', step('min', 'shelf'), 1],
    ['finds the greatest of mixed values', step('max', 'shelf'), '1'],
  ])('%s', async (_, each, value) => {
    expect(await results({ steps: [each] })).toEqual([{ v: value }]);
  });

  it('runs up to ten steps in one request and writes no event', async () => {
    const steps = Array.from({ length: 10 }, (_, n) => step('sum', 'year', `v${n}`));
    expect(await results({ steps })).toEqual([Object.fromEntries(steps.map(each => [each.output_field, 6]))]);
    expect(await eventsOf(app, books)).toHaveLength(2);
  });

  it('groups by a column and sorts by its value, null first', async () => {
    expect(await results({ steps: [COUNT, step('sum', 'year')], group_by: 'title' })).toEqual([
      { title: null, n: 1, v: 0 },
      { title: 'a', n: 2, v: 3 },
      { title: 'b', n: 1, v: 3 },
    ]);
  });

  it('groups by a flexible field and keeps types apart', async () => {
    expect(await results({ steps: [COUNT], group_by: 'shelf' })).toEqual([
      { shelf: null, n: 1 },
      { shelf: 1, n: 1 },
      { shelf: 2.5, n: 1 },
      { shelf: '1', n: 1 },
    ]);
  });

  it('groups by a dotted path', async () => {
    expect(await results({ steps: [COUNT], group_by: 'details.kind' })).toEqual([
      { 'details.kind': null, n: 1 },
      { 'details.kind': 'x', n: 2 },
      { 'details.kind': 'y', n: 1 },
    ]);
  });

  it('groups by several fields', async () => {
    expect(await results({ steps: [COUNT], group_by: ['title', 'lent'], filter: { title: 'a' } })).toEqual([
      { title: 'a', lent: false, n: 1 },
      { title: 'a', lent: true, n: 1 },
    ]);
  });

  it('accepts filter, having, sort and limit', async () => {
    const body = { steps: [COUNT, step('max', 'year')], group_by: 'title' };
    const of = async (more: object) =>
      (await results({ ...body, ...more })).map((result: { title: unknown }) => result.title);
    expect(await of({ filter: { year: { $gt: 1 } } })).toEqual(['a', 'b']);
    expect(await of({ having: { n: { $gt: 1 } } })).toEqual(['a']);
    expect(await of({ having: { title: null } })).toEqual([null]);
    expect(await of({ sort: { v: -1 } })).toEqual(['b', 'a', null]);
    expect(await of({ sort: { n: 1, title: -1 } })).toEqual(['b', null, 'a']);
    expect(await of({ sort: { title: -1 }, limit: 1 })).toEqual(['b']);
    expect(await of({ limit: 2 })).toEqual([null, 'a']);
  });

  it('returns one row without groups and no row with groups when no record matches', async () => {
    const nothing = { filter: { year: -1 }, steps: [COUNT, step('sum', 'year'), step('avg', 'year', 'a')] };
    expect(await results(nothing)).toEqual([{ n: 0, v: 0, a: null }]);
    expect(await results({ ...nothing, group_by: 'title' })).toEqual([]);
  });

  it('returns every group without a limit, and refuses more than 50,000 groups', async () => {
    const collection = await newTypedCollection(app, home, { settings: { max_records: 60_000 } });
    const fill = (from: number, to: number) =>
      app.sql(
        `INSERT INTO ${collection.table} (_id, created_at, updated_at, c2)
         SELECT gen_random_uuid(), now(), now(), n FROM generate_series($1::int, $2::int) n`,
        [from, to],
      );
    await fill(1, 50_000);
    const all = await results({ steps: [COUNT], group_by: 'year' }, collection);
    expect([all.length, all[0], all.at(-1)]).toEqual([50_000, { year: 1, n: 1 }, { year: 50_000, n: 1 }]);
    await fill(50_001, 50_001);
    const more = await aggregate({ steps: [COUNT], group_by: 'year' }, collection);
    expect(outcome(more)).toEqual([400, 'InvalidArguments']);
    expect(more.body.message).toContain('50000');
    expect(await results({ steps: [COUNT], group_by: 'year', limit: 3 }, collection)).toHaveLength(3);
  });

  it('refuses a sum beyond the range of a double', async () => {
    const collection = await newTypedCollection(app, home);
    await insert(app, collection, { price: 1.7e308, f: 1.7e308 }, { price: 1.7e308, f: 1.7e308 });
    for (const field of ['price', 'f']) {
      for (const type of ['sum', 'avg']) {
        const answer = await aggregate({ steps: [step(type, field)] }, collection);
        expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
      }
    }
  });

  it.each<[object | unknown[] | string | null, string]>([
    [{}, 'steps'],
    [{ steps: [] }, 'steps'],
    [{ steps: COUNT }, 'steps'],
    [{ steps: null }, 'steps'],
    [{ steps: ['count'] }, 'steps'],
    [{ steps: [null] }, 'steps'],
    [{ steps: [[]] }, ''],
    [{ steps: Array.from({ length: 11 }, (_, n) => ({ type: 'count', output_field: `v${n}` })) }, 'steps'],
    [{ steps: [{ type: 'mode', input_field: 'year', output_field: 'v' }] }, 'type'],
    [{ steps: [{ output_field: 'v' }] }, 'type'],
    [{ steps: [{ type: 'count' }] }, 'output_field'],
    [{ steps: [{ type: 'count', output_field: '' }] }, 'output_field'],
    [{ steps: [{ type: 'count', output_field: 'a.b' }] }, 'output_field'],
    [{ steps: [{ type: 'count', output_field: '$a' }] }, '$'],
    [{ steps: [{ type: 'count', output_field: '__proto__' }] }, '__proto__'],
    [{ steps: [{ type: 'count', output_field: 'v', as: 'x' }] }, 'as'],
    [{ steps: [{ type: 'sum', output_field: 'v' }] }, 'input_field'],
    [{ steps: [step('sum', '')] }, 'input_field'],
    [{ steps: [step('sum', 'title')] }, 'title'],
    [{ steps: [step('avg', 'lent')] }, 'lent'],
    [{ steps: [step('sum', 'printed')] }, 'printed'],
    [{ steps: [step('avg', 'read_at')] }, 'read_at'],
    [{ steps: [COUNT, COUNT] }, 'n'],
    [{ steps: [COUNT], group_by: 'n' }, 'n'],
    [{ steps: [COUNT], group_by: ['title', 'title'] }, 'title'],
    [{ steps: [COUNT], group_by: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'group_by'],
    [{ steps: [COUNT], group_by: 7 }, 'string'],
    [{ steps: [COUNT], group_by: null }, 'string'],
    [{ steps: [COUNT], group_by: [['a']] }, 'string'],
    [{ steps: [COUNT], group_by: '$title' }, '$'],
    [{ steps: [COUNT], filter: [] }, 'filter'],
    [{ steps: [COUNT], filter: { $where: '1' } }, '$where'],
    [{ steps: [COUNT], having: 'x' }, 'filter'],
    [{ steps: [COUNT], sort: { year: 1 } }, 'year'],
    [{ steps: [COUNT], sort: 'n' }, 'sort'],
    [{ steps: [COUNT], limit: 0 }, 'limit'],
    [{ steps: [COUNT], limit: 50_001 }, 'limit'],
    [{ steps: [COUNT], limit: '5' }, 'limit'],
    [{ steps: [COUNT], page: 1 }, 'page'],
    [[COUNT], 'object'],
    ['x', 'object'],
    [null, 'object'],
  ])('refuses %j', async (body, says) => {
    const answer = await aggregate(body);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(says);
  });

  it('treats SQL in names as part of the name', async () => {
    const odd = `x"'; DROP TABLE collections; --`;
    expect(await results({ steps: [{ type: 'count', output_field: odd }], group_by: `g${odd}` })).toEqual([
      { [`g${odd}`]: null, [odd]: 4 },
    ]);
  });
});
