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
import { EVERY, type Every, groupOf, someDay, someInstant, withOffset, ZONES } from './calendar-groups.js';

type Row = Record<string, unknown>;

const COUNT = { type: 'count', output_field: 'n' };
const SUM = { type: 'sum', input_field: 'year', output_field: 'sum' };

/** Groups in the order of answers: null first, then by value. */
function grouped(records: readonly Row[], keyOf: (record: Row) => unknown, name = 'g'): Row[] {
  const groups = new Map<unknown, Row>();
  for (const record of records) {
    const key = keyOf(record);
    const group = groups.get(key) ?? { [name]: key, n: 0, sum: 0 };
    groups.set(key, {
      ...group,
      n: (group.n as number) + 1,
      sum: (group.sum as number) + Number(record.year ?? 0),
    });
  }
  const order = (key: unknown) => (typeof key === 'number' ? key : String(key ?? ''));
  return [...groups.values()].sort((a, b) => {
    if (a[name] === null || b[name] === null) return a[name] === null ? -1 : 1;
    return order(a[name]) < order(b[name]) ? -1 : 1;
  });
}

describe('groups by period and range', () => {
  let app: TestApp;
  let home: Home;
  let collection: TestCollection;
  let records: Row[];
  const dice = new Dice(seedOr(20_260_329));
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    collection = await newTypedCollection(app, home);
    records = Array.from({ length: 300 * TIMES }, (_, n) => {
      const at = someInstant(dice);
      const mixed = [
        () => withOffset(at, dice.below(28) - 14),
        () => someDay(dice),
        () => 7,
        () => null,
        () => 'soon',
      ];
      const flexible = dice.of(mixed)();
      return {
        year: n,
        price: dice.below(20) === 0 ? null : (dice.below(40_000) - 20_000) / 8,
        read_at: dice.below(20) === 0 ? null : at,
        printed: dice.below(20) === 0 ? null : someDay(dice),
        ...(dice.below(20) > 0 && { seen: flexible }),
        details: { at: flexible, weights: [dice.below(100)] },
        shelf: dice.of([dice.below(1_000) - 500, 'x', null, dice.below(1_000) / 10]),
      };
    });
    records.push(
      { year: 1, read_at: '0001-01-01T00:00:00.000Z', printed: '0001-01-01' },
      { year: 2, read_at: '9999-12-31T23:59:59.999Z', printed: '9999-12-31' },
      { year: 3, read_at: '0001-01-01T23:59:00.000Z', printed: '0004-02-29' },
    );
    for (let from = 0; from < records.length; from += 1_000)
      await insert(app, collection, ...records.slice(from, from + 1_000));
  });

  const aggregate = (body: object, { data, owner } = collection) =>
    app.request('POST', `${data}/aggregate`, { ...owner, body: { steps: [COUNT, SUM], ...body } });
  const results = async (body: object, of = collection) => {
    const answer = await aggregate(body, of);
    expect([answer.body.message, ...outcome(answer)]).toEqual([undefined, 200, undefined]);
    return answer.body.results as Row[];
  };

  /** Local days before the year 1 and after 9999 belong to the first and the last day of dates. */
  const periodIn = (value: unknown, every: Every, zone: string) => {
    const group = groupOf(value, every, zone);
    if (group?.startsWith('-') || group?.startsWith('0000'))
      return every === 'hour' || every === 'minute' ? '0001-01-01T00:00:00.000Z' : '0001-01-01';
    return group?.startsWith('+') ? groupOf('9999-12-31', every, 'UTC') : (group ?? null);
  };

  describe.each(ZONES)('in the zone %s', zone => {
    it.each(EVERY)('groups instants by %s', async every => {
      const key = { field: 'read_at', every, zone, as: 'g' };
      expect(await results({ group_by: key })).toEqual(
        grouped(records, ({ read_at }) => periodIn(read_at, every, zone)),
      );
    });
  });

  describe.each(['UTC', 'Europe/Paris', 'Australia/Lord_Howe'])('in the zone %s', zone => {
    it.each(EVERY)(
      'groups days and instants of flexible fields and json by %s, and other values as null',
      async every => {
        for (const field of ['seen', 'details.at']) {
          const value = (record: Row) =>
            field === 'seen' ? record.seen : (record.details as Row | undefined)?.at;
          const key = { field, every, zone, as: 'g' };
          expect(await results({ group_by: [key] })).toEqual(
            grouped(records, record => periodIn(value(record), every, zone)),
          );
        }
      },
    );
  });

  it.each(EVERY.slice(2))('groups dates by %s', async every => {
    expect(await results({ group_by: { field: 'printed', every } })).toEqual(
      grouped(records, ({ printed }) => groupOf(printed, every, 'UTC'), 'printed'),
    );
  });

  it.each([1, 10, 0.1, 7, 0.25, 1e6])('groups numbers by ranges of %s', async step => {
    const rangeOf = (value: unknown) => (typeof value === 'number' ? Math.floor(value / step) * step : null);
    for (const field of ['price', 'year', 'shelf']) {
      expect(await results({ group_by: { field, step, as: 'g' } })).toEqual(
        grouped(records, record => rangeOf(record[field])),
      );
    }
    expect(await results({ group_by: { field: 'details.weights.0', step, as: 'g' } })).toEqual(
      grouped(records, record =>
        rangeOf((record.details as { weights?: number[] } | undefined)?.weights?.[0]),
      ),
    );
  });

  it('groups by a period, a range and a value together', async () => {
    const group_by = [{ field: 'read_at', every: 'year', as: 'y' }, { field: 'price', step: 1000 }, 'title'];
    const rows = await results({ group_by, filter: { price: { $gte: 0 } } });
    expect(Object.keys(rows[0] as Row)).toEqual(['y', 'price', 'title', 'n', 'sum']);
    const [key, wanted] = ['y', records.filter(({ price }) => typeof price === 'number' && price >= 0)];
    const of = (record: Row) =>
      JSON.stringify([
        periodIn(record.read_at, 'year', 'UTC'),
        Math.floor((record.price as number) / 1000) * 1000,
      ]);
    expect(rows.map(row => JSON.stringify([row[key], row.price]))).toHaveLength(new Set(wanted.map(of)).size);
    expect(new Set(rows.map(row => JSON.stringify([row[key], row.price])))).toEqual(new Set(wanted.map(of)));
  });

  it('sorts, limits and filters groups by their name', async () => {
    const group_by = { field: 'printed', every: 'year', as: 'year' };
    const all = await results({ group_by });
    const recent = { having: { year: { $gte: '2000-01-01' } }, sort: { year: -1 }, limit: 3 };
    const wanted = all.filter(({ year }) => year !== null && (year as string) >= '2000').reverse();
    expect(await results({ group_by, ...recent })).toEqual(wanted.slice(0, 3));
  });

  it('reads the groups of an earlier time', async () => {
    const kept = await newTypedCollection(app, home);
    const ids = await insert(app, kept, ...records.slice(0, 100));
    const requests = [
      { group_by: { field: 'read_at', every: 'month', zone: 'Europe/Paris', as: 'g' } },
      { group_by: { field: 'seen', every: 'hour', zone: 'Australia/Lord_Howe', as: 'g' } },
      { group_by: { field: 'price', step: 100, as: 'g' }, fill: true },
    ];
    const before = await Promise.all(requests.map(request => results(request, kept)));
    const as_of = new Date().toISOString();
    await new Promise(resolve => setTimeout(resolve, 20));
    for (const id of ids.slice(0, 40)) await app.request('DELETE', `${kept.data}/${id}`, kept.owner);
    const update = { read_at: '2026-01-01T00:00:00Z', price: 1, seen: null };
    await app.request('PATCH', kept.data, { ...kept.owner, body: { filter: { year: { $gt: 0 } }, update } });
    expect(await Promise.all(requests.map(request => results({ ...request, as_of }, kept)))).toEqual(before);
    expect(await Promise.all(requests.map(request => results(request, kept)))).not.toEqual(before);
  });

  describe('fill', () => {
    const filled = async (rows: object[], body: object) => {
      const own = await newTypedCollection(app, home);
      await insert(app, own, ...rows);
      return results({ fill: true, ...body }, own);
    };
    const at = (...instants: (string | null)[]) => instants.map(read_at => ({ read_at, year: 1 }));

    it('adds empty periods between the first and the last, and keeps the group of null', async () => {
      const steps = [COUNT, SUM, { type: 'avg', input_field: 'year', output_field: 'avg' }];
      expect(
        await filled(at('2026-01-31T23:30:00Z', '2026-03-31T22:30:00Z', null), {
          steps,
          group_by: { field: 'read_at', every: 'month', zone: 'Europe/Paris', as: 'month' },
        }),
      ).toEqual([
        { month: null, n: 1, sum: 1, avg: 1 },
        { month: '2026-02-01', n: 1, sum: 1, avg: 1 },
        { month: '2026-03-01', n: 0, sum: 0, avg: null },
        { month: '2026-04-01', n: 1, sum: 1, avg: 1 },
      ]);
    });

    it.each<[Every, string, string, string, string[]]>([
      ['hour', 'Europe/Paris', '2026-10-24T23:10:00Z', '2026-10-25T02:00:00Z', ['23', '00', '01', '02']],
      ['hour', 'Europe/Paris', '2026-03-29T00:10:00Z', '2026-03-29T02:00:00Z', ['00', '01', '02']],
      ['hour', 'Asia/Kolkata', '2026-10-24T23:10:00Z', '2026-10-25T01:40:00Z', ['22', '23', '00', '01']],
    ])('adds every %s of a change of clocks in %s from %s to %s', async (every, zone, first, last, hours) => {
      const rows = await filled(at(first, last), { group_by: { field: 'read_at', every, zone, as: 'g' } });
      expect(rows.map(({ g }) => (g as string).slice(11, 13))).toEqual(hours);
      expect(rows.map(({ n }) => n)).toEqual([1, ...hours.slice(2).map(() => 0), 1]);
    });

    it('adds both hours and the half hour of a change by half an hour', async () => {
      const group_by = { field: 'read_at', every: 'hour', zone: 'Australia/Lord_Howe', as: 'g' };
      const rows = await filled(at('2026-04-04T13:00:00Z', '2026-04-04T16:30:00Z'), { group_by });
      expect(rows.map(({ g }) => (g as string).slice(11, 16))).toEqual([
        '13:00',
        '14:00',
        '14:30',
        '15:30',
        '16:30',
      ]);
    });

    it.each<[Every, number]>([
      ['minute', 45],
      ['day', 400],
      ['week', 60],
      ['quarter', 9],
      ['year', 2_000],
    ])('adds each %s, also before 1970', async (every, most) => {
      const ends = {
        minute: ['1969-12-31T23:40:30Z', '1970-01-01T00:20:00Z'],
        year: ['0900-02-01T00:00:00Z', '2100-01-01T00:00:00Z'],
      };
      const [first, last] = (ends as Record<string, string[]>)[every] ?? [
        '1969-06-15T12:00:00Z',
        '1970-07-01T12:00:00Z',
      ];
      const rows = await filled(at(first as string, last as string), {
        group_by: { field: 'read_at', every, as: 'g' },
      });
      const groups = new Set<unknown>();
      for (
        let day = Date.parse(first as string);
        day < Date.parse(last as string);
        day += every === 'minute' ? 30_000 : 43_200_000
      )
        groups.add(groupOf(new Date(day).toISOString(), every, 'UTC'));
      groups.add(groupOf(last, every, 'UTC'));
      expect(rows.map(({ g }) => g)).toEqual([...groups]);
      expect(rows.length).toBeLessThanOrEqual(most);
    });

    it('adds empty ranges of numbers', async () => {
      const rows = await filled([{ price: -0.25 }, { price: 0.5 }, { price: null }], {
        group_by: { field: 'price', step: 0.25 },
      });
      expect(rows.map(({ price, n }) => [price, n])).toEqual([
        [null, 1],
        [-0.25, 1],
        [0, 0],
        [0.25, 0],
        [0.5, 1],
      ]);
    });

    it('adds nothing where there are no groups, and filters the empty ones as the others', async () => {
      const group_by = { field: 'price', step: 1 };
      expect(await filled([{ price: null }], { group_by })).toEqual([{ price: null, n: 1, sum: 0 }]);
      expect(await filled([{ year: 1 }], { group_by, filter: { year: 2 } })).toEqual([]);
      const empty = await filled([{ price: 1 }, { price: 4 }], {
        group_by,
        having: { n: 0 },
        sort: { price: -1 },
      });
      expect(empty.map(({ price }) => price)).toEqual([3, 2]);
    });

    it('adds up to 10,000 groups in all', async () => {
      const own = await newTypedCollection(app, home);
      await insert(
        app,
        own,
        { price: 1 },
        { price: 10_000 },
        { read_at: '0001-01-01T00:00:00Z' },
        { read_at: '9999-12-31T00:00:00Z' },
      );
      const group_by = { field: 'price', step: 1 };
      expect(await results({ fill: true, group_by, filter: { price: { $gt: 0 } } }, own)).toHaveLength(
        10_000,
      );
      expect(
        await results(
          { fill: true, group_by: { field: 'read_at', every: 'year' }, filter: { read_at: { $ne: null } } },
          own,
        ),
      ).toHaveLength(9_999);
      for (const [key, having] of [
        [{ field: 'price', step: 0.5 }, {}],
        [{ field: 'price', step: 0.5 }, { n: { $gt: 5 } }],
        [{ field: 'price', step: 1e-300 }, {}],
        [{ field: 'read_at', every: 'minute' }, {}],
        [{ field: 'read_at', every: 'hour', zone: 'Europe/Paris' }, {}],
        [{ field: 'read_at', every: 'month' }, { n: 9 }],
      ]) {
        const { status, body } = await aggregate({ fill: true, group_by: key, having }, own);
        const says = expect.stringContaining('fill: more than 10000 groups');
        expect([key, having, status, body.message]).toEqual([key, having, 400, says]);
      }
    });
  });

  it.each<[unknown, string, object?]>([
    [{ every: 'day' }, "'field'"],
    [{ field: 7, every: 'day' }, 'string'],
    [{ field: '', every: 'day' }, 'empty'],
    [{ field: '$x', every: 'day' }, '$'],
    [
      { field: 'read_at', every: 'decade' },
      "'every' must be one of: minute, hour, day, week, month, quarter, year",
    ],
    [{ field: 'read_at', every: null }, "'every'"],
    [{ field: 'read_at', every: 'day', step: 1 }, 'not both'],
    [{ field: 'read_at', zone: 'UTC' }, "'zone' needs 'every'"],
    [{ field: 'read_at', every: 'day', zone: 'Europe/Pariss' }, "'zone'"],
    [{ field: 'read_at', every: 'day', zone: '+02:00' }, "'zone'"],
    [{ field: 'read_at', every: 'day', zone: 'EST5EDT4,M3.2.0' }, "'zone'"],
    [{ field: 'read_at', every: 'day', zone: '' }, "'zone'"],
    [{ field: 'read_at', every: 'day', zone: null }, "'zone'"],
    [{ field: 'read_at', every: 'day', zone: "UTC'; SELECT 1" }, "'zone'"],
    [{ field: 'read_at', every: 'day', unit: 1 }, '"unit"'],
    [{ field: 'read_at', every: 'day', as: 'a.b' }, '"a.b"'],
    [{ field: 'read_at', every: 'day', as: 7 }, 'string'],
    [{ field: 'read_at', every: 'day', as: 'n' }, '"n"'],
    [[{ field: 'read_at', every: 'day' }, 'read_at'], '"read_at"'],
    [
      [
        { field: 'read_at', every: 'day', as: 'g' },
        { field: 'year', step: 1, as: 'g' },
      ],
      '"g"',
    ],
    [Array.from({ length: 6 }, (_, n) => ({ field: 'year', step: n + 1, as: `g${n}` })), 'at most 5'],
    [{ field: 'printed', every: 'hour' }, "'every' cannot be hour, and the column 'printed' is date"],
    [{ field: 'printed', every: 'minute' }, "'printed'"],
    [{ field: 'printed', every: 'day', zone: 'Europe/Paris' }, "'zone'"],
    [{ field: 'printed', every: 'day', zone: 'UTC' }, "'printed'"],
    [{ field: 'title', every: 'day' }, "the column 'title' is text"],
    [{ field: 'year', every: 'day' }, "'year' is integer"],
    [{ field: 'lent', every: 'day' }, "'lent' is boolean"],
    [{ field: 'tags', every: 'day' }, "'tags' is array"],
    [{ field: '_id', every: 'day' }, "'_id'"],
    [{ field: 'title', step: 1 }, "'step' needs numbers, and the column 'title' is text"],
    [{ field: 'read_at', step: 1 }, "'read_at' is datetime"],
    [{ field: 'tags', step: 1 }, "'tags' is array"],
    [{ field: 'year', step: 0 }, "'step' must be a number greater than 0"],
    [{ field: 'year', step: -1 }, "'step'"],
    [{ field: 'year', step: '1' }, "'step'"],
    [{ field: 'year', step: null }, "'step'"],
    [['title', 7], 'string'],
    [['year', null], 'string'],
    ['title', 'fill', { fill: true }],
    [undefined, 'fill', { fill: true }],
    [[{ field: 'year', step: 1 }, 'title'], 'fill', { fill: true }],
    [{ field: 'year', step: 1 }, 'fill', { fill: 'yes' }],
  ])('refuses group_by %j', async (group_by, says, more) => {
    const answer = await aggregate({ ...(group_by !== undefined && { group_by }), ...more });
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(says);
  });
});
