import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  type Home,
  insert,
  newHome,
  newTypedCollection,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { Dice, seedOr, TIMES } from '../../harness/dice.js';

type Row = Record<string, unknown>;

const COUNT = { type: 'count', output_field: 'n' };
const step = (type: string, input_field: string, more: object = {}) => ({
  ...{ type, input_field, output_field: 'v' },
  ...more,
});

describe('steps of an aggregation', () => {
  let app: TestApp;
  let home: Home;
  let collection: TestCollection;
  let records: Row[];
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    collection = await newTypedCollection(app, home);
    const dice = new Dice(seedOr(36));
    records = Array.from({ length: 200 * TIMES }, (_, n) => ({
      title: dice.of(['a', 'b', 'c', null]),
      year: dice.below(6) === 0 ? null : dice.below(50) - 25,
      price: dice.below(6) === 0 ? null : (dice.below(4_000) - 2_000) / 16,
      lent: dice.of([true, false, null]),
      shelf: dice.of([1, 2.5, '1', null, [1], { a: 1 }, dice.below(9)]),
      details: { rank: dice.of([dice.below(5), null, 'x']), order: n },
    }));
    await insert(app, collection, ...records);
  });

  const aggregate = (body: unknown, { data, owner } = collection) =>
    app.request('POST', `${data}/aggregate`, { ...owner, body });
  const results = async (body: object, of = collection) => {
    const answer = await aggregate(body, of);
    expect([answer.body.message, ...outcome(answer)]).toEqual([undefined, 200, undefined]);
    return answer.body.results as Row[];
  };

  const valueAt = (record: Row, field: string): unknown =>
    field.split('.').reduce<unknown>((value, name) => (value as Row | null | undefined)?.[name], record) ??
    null;
  const numbersOf = (rows: readonly Row[], field: string) =>
    rows
      .map(row => valueAt(row, field))
      .filter(value => typeof value === 'number')
      .sort((a, b) => a - b);
  const percentile = (sorted: readonly number[], at: number) => {
    if (sorted.length === 0) return null;
    const place = at * (sorted.length - 1);
    const [low, high] = [sorted[Math.floor(place)] as number, sorted[Math.ceil(place)] as number];
    return low + (place - Math.floor(place)) * (high - low);
  };
  const deviation = (numbers: readonly number[]) => {
    if (numbers.length < 2) return null;
    const mean = numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
    return Math.sqrt(numbers.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (numbers.length - 1));
  };
  const close = (value: number | null) => (value === null ? null : expect.closeTo(value, 9));

  /** The records of each title, in the order of answers. */
  const byTitle = () =>
    [null, 'a', 'b', 'c'].map(title => ({ title, rows: records.filter(record => record.title === title) }));

  describe.each(['year', 'price', 'shelf', 'details.rank'])('of %s', field => {
    it.each([0, 0.1, 0.25, 0.5, 0.9, 1])('interpolates the percentile at %s', async at => {
      const found = await results({ steps: [step('percentile', field, { at })], group_by: 'title' });
      expect(found).toEqual(
        byTitle().map(({ title, rows }) => ({ title, v: close(percentile(numbersOf(rows, field), at)) })),
      );
    });

    it('computes the median, and the deviation of a sample', async () => {
      const steps = [step('median', field), step('stddev', field, { output_field: 's' })];
      expect(await results({ steps, group_by: 'title' })).toEqual(
        byTitle().map(({ title, rows }) => {
          const numbers = numbersOf(rows, field);
          return { title, v: close(percentile(numbers, 0.5)), s: close(deviation(numbers)) };
        }),
      );
    });

    it('counts different values that are not null', async () => {
      const different = (rows: readonly Row[]) =>
        new Set(rows.map(row => JSON.stringify(valueAt(row, field))).filter(text => text !== 'null')).size;
      expect(await results({ steps: [step('count_distinct', field)], group_by: 'title' })).toEqual(
        byTitle().map(({ title, rows }) => ({ title, v: different(rows) })),
      );
    });

    it.each([1, -1])('takes the first and the last value in an order, null too (%s)', async direction => {
      const sort = { lent: -direction, 'details.order': direction };
      const steps = [step('first', field, { sort }), step('last', field, { sort, output_field: 'l' })];
      const rank = (record: Row) => (record.lent === null ? 0 : record.lent ? 2 : 1);
      const order = (a: Row, b: Row) =>
        direction *
        (rank(b) - rank(a) ||
          (valueAt(a, 'details.order') as number) - (valueAt(b, 'details.order') as number));
      expect(await results({ steps, group_by: 'title' })).toEqual(
        byTitle().map(({ title, rows }) => {
          const sorted = rows.toSorted(order);
          return { title, v: valueAt(sorted[0] as Row, field), l: valueAt(sorted.at(-1) as Row, field) };
        }),
      );
    });
  });

  it.each([
    ['title', 'a text'],
    ['lent', 'a boolean'],
    ['created_at', 'an instant'],
    ['_id', 'an id'],
    ['tags', 'an absent list'],
    ['unknown', 'an unknown field'],
  ])('takes the first %s, %s', async field => {
    const first = (
      await app.request('POST', `${collection.data}/query`, { ...collection.owner, body: { limit: 1 } })
    ).body.records[0];
    const steps = [
      step('first', field, { sort: { _id: 1 } }),
      step('count_distinct', field, { output_field: 'd' }),
    ];
    const [{ v }] = (await results({ steps })) as [Row];
    expect(v).toEqual(first[field] ?? null);
  });

  it('reads in each step the records that its filter matches', async () => {
    const filter = { $or: [{ lent: true }, { 'details.rank': { $gte: 3 } }] };
    const chosen = (row: Row) =>
      row.lent === true ||
      (typeof valueAt(row, 'details.rank') === 'number' && (valueAt(row, 'details.rank') as number) >= 3);
    const sort = { 'details.order': 1 };
    const filtered = (type: string, more: object = {}) => ({
      ...step(type, 'year', { filter, ...more }),
      output_field: type,
    });
    const steps = [
      { ...COUNT, filter },
      ...['sum', 'avg', 'min', 'max', 'median', 'stddev', 'count_distinct'].map(type => filtered(type)),
      filtered('first', { sort }),
      { ...COUNT, output_field: 'all' },
    ];
    const wanted = byTitle().map(({ title, rows }) => {
      const some = rows.filter(chosen);
      const numbers = numbersOf(some, 'year');
      const sum = numbers.reduce((all, each) => all + each, 0);
      return {
        ...{ title, n: some.length, sum, avg: close(sum / numbers.length) },
        ...{ min: numbers[0], max: numbers.at(-1), median: close(percentile(numbers, 0.5)) },
        ...{ stddev: close(deviation(numbers)), count_distinct: new Set(numbers).size },
        ...{ first: some[0]?.year, all: rows.length },
      };
    });
    expect(await results({ steps, group_by: 'title' })).toEqual(wanted);
    const last = [filtered('last', { sort }), filtered('percentile', { at: 1 })];
    const some = records.filter(chosen);
    expect(await results({ steps: last })).toEqual([
      { last: some.at(-1)?.year, percentile: numbersOf(some, 'year').at(-1) },
    ]);
  });

  it('keeps groups in which a filter matches nothing', async () => {
    const filter = { year: 1e6 };
    const sort = { year: 1 };
    const steps = [
      ...['sum', 'avg', 'min', 'median', 'stddev', 'count_distinct'].map(type => ({
        ...step(type, 'shelf', { filter }),
        output_field: type,
      })),
      step('first', 'year', { filter, sort }),
      { ...COUNT, filter },
    ];
    const nothing = {
      sum: 0,
      avg: null,
      min: null,
      median: null,
      stddev: null,
      count_distinct: 0,
      v: null,
      n: 0,
    };
    expect(await results({ steps, group_by: 'title' })).toEqual(
      byTitle().map(({ title }) => ({ title, ...nothing })),
    );
    expect(await results({ steps })).toEqual([nothing]);
  });

  it('takes one value without a deviation, and sorts and filters groups by the new steps', async () => {
    const own = await newTypedCollection(app, home);
    await insert(app, own, { title: 'a', year: 1 }, { title: 'b', year: 2 }, { title: 'b', year: 5 });
    const steps = [step('stddev', 'year'), step('median', 'year', { output_field: 'm' })];
    expect(await results({ steps, group_by: 'title', sort: { m: -1 } }, own)).toEqual([
      { title: 'b', v: expect.closeTo(2.1213203435596424, 12), m: 3.5 },
      { title: 'a', v: null, m: 1 },
    ]);
    expect(await results({ steps, group_by: 'title', having: { m: { $gt: 2 } } }, own)).toHaveLength(1);
  });

  it('refuses figures beyond the range of doubles', async () => {
    const own = await newTypedCollection(app, home);
    await insert(app, own, { price: 1.7e308 }, { price: -1.7e308 });
    for (const type of ['median', 'stddev']) {
      const answer = await aggregate({ steps: [step(type, 'price')] }, own);
      expect([type, ...outcome(answer)]).toEqual([type, 400, 'InvalidArguments']);
    }
    expect(await results({ steps: [step('percentile', 'price', { at: 1 })] }, own)).toEqual([{ v: 1.7e308 }]);
  });

  it.each<[object, string]>([
    [step('percentile', 'year'), "'at'"],
    [step('percentile', 'year', { at: -0.1 }), 'at: expects a number from 0 to 1'],
    [step('percentile', 'year', { at: 1.1 }), 'at: expects'],
    [step('percentile', 'year', { at: '0.5' }), 'at: expects'],
    [step('percentile', 'year', { at: null }), 'at: expects'],
    [step('median', 'year', { at: 0.5 }), 'median of "v" takes no \'at\''],
    [step('median', 'title'), "median of 'title' needs numbers"],
    [step('percentile', 'lent', { at: 0.5 }), "'lent'"],
    [step('stddev', 'printed'), "'printed'"],
    [{ type: 'median', output_field: 'v' }, 'median needs an input_field'],
    [{ type: 'count_distinct', output_field: 'v' }, 'count_distinct needs an input_field'],
    [{ type: 'first', output_field: 'v', sort: { year: 1 } }, 'first needs an input_field'],
    [step('first', 'year'), 'first of "v" needs \'sort\''],
    [step('last', 'year', { sort: null }), 'sort'],
    [step('last', 'year', { sort: { year: 2 } }), 'sort'],
    [step('last', 'year', { sort: 'year' }), 'sort'],
    [step('max', 'year', { sort: { year: 1 } }), "takes no 'sort'"],
    [step('sum', 'year', { filter: [] }), 'filter'],
    [step('sum', 'year', { filter: { $where: '1' } }), '$where'],
    [step('sum', 'year', { filter: { printed: 'soon' } }), 'soon'],
    [step('sum', 'year', { having: {} }), 'having'],
  ])('refuses %j', async (each, says) => {
    const answer = await aggregate({ steps: [each] });
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(says);
  });
});
