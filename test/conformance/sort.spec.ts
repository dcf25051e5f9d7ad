import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/base/kernel/json.js';
import { identifier, literal, render, sql } from '../../src/base/sql/index.js';
import { COLUMN_TYPES } from '../../src/engine/columns/index.js';
import {
  anyTrue,
  orderBy,
  type Position,
  parseSort,
  positionOf,
  rangesAfter,
  sortKeys,
} from '../../src/engine/filter/index.js';
import { testDatabaseUrl } from '../harness/database.js';
import { anyDocument } from './arbitrary.js';
import { type Placement, placeFlexible, placeTyped } from './placements.js';

let client: pg.Client;

beforeAll(async () => {
  client = new pg.Client({ connectionString: await testDatabaseUrl() });
  await client.connect();
});
afterAll(() => client.end());

/** The numbers of the documents in order, read in pages. Each page starts after the position of the one before. */
async function inPages({ table, shape }: Placement, sort: JsonObject, size: number): Promise<number[]> {
  const numbers: number[] = [];
  let position: Position | undefined;
  do {
    const keys = sortKeys(parseSort(sort), shape);
    const from = identifier(table);
    const where = position === undefined ? sql`TRUE` : anyTrue(rangesAfter(keys, position, from));
    const page = sql`SELECT n, ${positionOf(keys)} AS position FROM ${from} t WHERE ${where} ORDER BY ${orderBy(keys)} LIMIT ${literal(size)}`;
    const { rows } = await client.query(render(page));
    numbers.push(...rows.map(row => row.n));
    position = rows.length < size ? undefined : rows.at(-1).position;
  } while (position !== undefined);
  return numbers;
}

const VALUES: JsonValue[] = [
  ...[
    -1e21,
    -2,
    -1.5,
    0,
    0.1,
    1,
    2,
    10,
    1e21,
    '',
    '1',
    'B',
    'a',
    'b',
    'é',
    '\uffee',
    '𝄞',
    {},
    [[]],
    false,
    true,
  ],
];

describe('sorting', () => {
  it('orders null first, then numbers, strings by code point, objects, arrays, false, true', async () => {
    const documents: JsonObject[] = VALUES.map(a => ({ a }));
    const shuffled = [...documents.slice(9), {}, ...documents.slice(0, 9).reverse()];
    const placement = await placeFlexible(client, 'sort_order', shuffled);
    const sorted = (await inPages(placement, { a: 1 }, 100)).map(n => shuffled[n]!);
    expect(sorted).toEqual([{}, ...documents]);
    const reversed = (await inPages(placement, { a: -1 }, 100)).map(n => shuffled[n]!);
    expect(reversed).toEqual([...documents.toReversed(), {}]);
  });

  it('uses the least element of an array in ascending order and the greatest in descending order', async () => {
    const documents: JsonObject[] = [{ a: [5, 1] }, { a: 2 }, { a: [null, 9] }, { a: 7 }, { a: [] }];
    const placement = await placeFlexible(client, 'sort_arrays', documents);
    const ascending = await inPages(placement, { a: 1 }, 2);
    expect(ascending.slice(2)).toEqual([0, 1, 3]);
    expect(await inPages(placement, { a: -1 }, 2)).toEqual([2, 3, 0, 1, 4]);
  });

  it.each<[JsonObject, JsonObject[]]>([
    // An element without the field counts as null (SERVER-4529), one that is no object too.
    [{ 'd.v': 1 }, [{ d: [{ x: 1 }, { v: 2 }] }, { d: [{ v: 1 }] }]],
    [{ 'd.v': 1 }, [{ d: [7, { v: 2 }] }, { d: [{ v: 1 }] }]],
    [{ 'd.v': 1 }, [{ d: [[{ v: 0 }], { v: 2 }] }, { d: [{ v: 1 }] }]],
    [{ 'd.v': -1 }, [{ d: [{ x: 1 }, { v: 2 }] }, { d: [{ v: 1 }] }, { d: [{ x: 9 }] }]],
    [{ 'd.v.w': 1 }, [{ d: { v: [{}, { w: 3 }] } }, { d: { v: { w: 1 } } }]],
    [{ 'd.1': 1 }, [{ d: [9] }, { d: [9, 1] }, { d: [0, 2] }]],
    // The keys of one sort come from one element.
    [
      { 'd.v': 1, 'd.w': 1 },
      [
        { d: [{ v: 1, w: 2 }] },
        {
          d: [
            { v: 1, w: 9 },
            { v: 2, w: 0 },
          ],
        },
      ],
    ],
    [
      { 'd.v': 1, 'd.w': -1 },
      [
        { d: [{ v: 1, w: 3 }] },
        {
          d: [
            { v: 1, w: 2 },
            { v: 2, w: 9 },
          ],
        },
      ],
    ],
    [
      { 'd.v': -1, 'd.w': 1 },
      [
        { d: [{ v: 3, w: 5 }] },
        {
          d: [
            { v: 3, w: 7 },
            { v: 1, w: 0 },
          ],
        },
      ],
    ],
    [{ 'd.v': 1, 'd.w': 1 }, [{ d: [{ w: 5 }, { v: 0, w: 0 }] }, { d: [{ v: 0, w: 0 }] }]],
    [
      { 'd.v.a': 1, 'd.v.b': 1 },
      [
        { d: [{ v: [{ a: 1, b: 1 }] }] },
        {
          d: [
            {
              v: [
                { a: 1, b: 2 },
                { a: 2, b: 0 },
              ],
            },
          ],
        },
      ],
    ],
    [{ 'd.v.a': 1, 'd.v.b': 1 }, [{ d: [{}, { v: { a: 1, b: 1 } }] }, { d: [{ v: { a: 0, b: 0 } }] }]],
    [{ 'd.v': 1, 'd.0': 1 }, [{ d: { v: 1, 0: 1 } }, { d: { v: 1, 0: 2 } }]],
  ])('by %j goes through arrays as MongoDB does', async (sort, documents) => {
    const stored = documents.toReversed();
    await client.query('DROP TABLE IF EXISTS sort_through_flexible, sort_through_json');
    const placements = [
      await placeFlexible(client, 'sort_through_flexible', structuredClone(stored)),
      await placeTyped(client, 'sort_through_json', { d: COLUMN_TYPES.json }, structuredClone(stored)),
    ];
    for (const placement of placements)
      for (const size of [100, 1])
        expect((await inPages(placement, sort, size)).map(n => stored[n])).toEqual(documents);
  });

  it('reads every record once with keyset pagination, in the same order as one long page', async () => {
    const number = fc.option(fc.constantFrom(0, 1, 1.5, -2), { nil: null });
    const typed = fc.sample(fc.record({ d: number, i: fc.option(fc.nat(2), { nil: null }) }), {
      seed: 5,
      numRuns: 60,
    });
    const columns = { d: COLUMN_TYPES.double, i: COLUMN_TYPES.integer };
    const placements = [
      await placeTyped(client, 'keyset_typed', columns, structuredClone(typed) as JsonObject[]),
      await placeFlexible(
        client,
        'keyset_flexible',
        structuredClone(fc.sample(anyDocument, { seed: 5, numRuns: 60 })),
      ),
    ];
    const sorts: JsonObject[] = [
      {},
      { d: 1 },
      { d: -1 },
      { d: 1, i: -1 },
      { d: -1, i: 1 },
      { a: 1 },
      { a: -1, 'b.c': 1 },
      { 'a.b': 1, 'a.c': -1 },
      { 'a.b': -1, a: 1, 'a.0': 1 },
    ];
    for (const placement of placements) {
      for (const sort of sorts) {
        const whole = await inPages(placement, sort, 1_000);
        expect(whole).toHaveLength(60);
        expect(await inPages(placement, sort, 7), JSON.stringify(sort)).toEqual(whole);
      }
    }
  });
});
