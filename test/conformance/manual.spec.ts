import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/kernel/json.js';
import { COLUMN_TYPES } from '../../src/engine/columns/index.js';
import { parseFilter } from '../../src/engine/filter/index.js';
import { testDatabaseUrl } from '../harness/database.js';
import { matching, type Placement, placeFlexible, placeInJson, placeTyped } from './placements.js';

let client: pg.Client;

beforeAll(async () => {
  client = new pg.Client({ connectionString: await testDatabaseUrl() });
  await client.connect();
});
afterAll(() => client.end());

let tables = 0;
const tableName = () => `manual_${++tables}`;

/** The documents that a filter finds in flexible fields and in a json column. Both answers must be the same. */
async function finds(filter: JsonObject, documents: JsonObject[]): Promise<JsonObject[]> {
  const flexible = await matching(client, await placeFlexible(client, tableName(), documents), filter);
  const inJson = await matching(client, await placeInJson(client, tableName(), documents), filter);
  expect(inJson).toEqual(flexible);
  return flexible.map(n => documents[n]!);
}

type Case = [filter: JsonObject, found: JsonObject[], notFound: JsonObject[]];

function table(title: string, cases: Case[]): void {
  describe(title, () => {
    it.each(cases)('finds the right documents by %j', async (filter, found, notFound) => {
      expect(await finds(filter, [...found, ...notFound])).toEqual(found);
    });
  });
}

table('null: the field is null or not there', [
  [
    { a: null },
    [{ a: null }, {}, { a: [null] }, { a: [1, null] }],
    [{ a: 4 }, { a: {} }, { a: [] }, { a: [[]] }, { a: [[null]] }, { a: [{}] }],
  ],
  [
    { 'a.b': null },
    [{ a: {} }, { a: null }, { a: 4 }, { a: { b: null } }, {}, { a: [{}] }, { a: [{ b: 5 }, {}] }],
    [{ a: { b: 'x' } }, { a: [] }, { a: [[]] }, { a: [1, 'x'] }, { a: [null] }, { a: [5, { b: 5 }] }],
  ],
  [{ 'a.b': { $ne: null } }, [{ a: { b: 'x' } }, { a: [] }, { a: [1] }], [{ a: {} }, {}, { a: [{}] }]],
  [
    { 'a.b': { $exists: false } },
    [{ a: {} }, {}, { a: [] }, { a: 1 }, { a: [1] }],
    [{ a: { b: null } }, { a: [{}, { b: 1 }] }],
  ],
  [{ a: { $gte: null } }, [{ a: null }, {}], [{ a: 0 }, { a: '' }]],
  [{ a: { $lt: null } }, [], [{ a: null }, {}, { a: -1 }]],
  [{ a: { $in: [null, 1] } }, [{}, { a: 1 }, { a: [1] }], [{ a: 2 }]],
  [{ a: { $nin: [null, 1] } }, [{ a: 2 }, { a: [] }], [{}, { a: 1 }, { a: [2, 1] }]],
  [{ a: { $type: 'null' } }, [{ a: null }, { a: [null] }], [{}, { a: 0 }]],
]);

table('arrays', [
  [{ 'a.b': 1 }, [{ a: [{ b: 1 }] }, { a: [{ b: [1] }] }], [{ a: [[{ b: 1 }]] }]],
  [
    { 'a.0': 1 },
    [{ a: [1, 2] }, { a: { 0: 1 } }, { a: [{ 0: 1 }] }, { a: { 0: [1] } }],
    [{ a: [2, 1] }, { a: 1 }, { a: [[1]] }],
  ],
  [{ 'a.0.b': 1 }, [{ a: [{ b: 1 }] }, { a: [[{ b: 1 }]] }], [{ a: [{}, { b: 1 }] }, { a: { b: 1 } }]],
  // The tests of paths of MongoDB's server: an element without a position and without fields generates no value.
  [
    { 'a.1': null },
    [{}, { a: 7 }, { a: { 0: 1 } }, { a: [{ x: 1 }] }, { a: [1, null] }, { a: [1, { x: 1 }] }],
    [{ a: [7] }, { a: [] }, { a: [1, 2] }, { a: [[1]] }, { a: [{ 1: 1 }] }],
  ],
  [{ 'a.0': null }, [{ a: [{ x: 1 }] }, { a: [null] }], [{ a: [[null]] }, { a: [] }, { a: [{ 0: 1 }] }]],
  [{ 'a.0.b': null }, [{ a: [{ b: 1 }] }, { a: [[{}]] }], [{ a: [5] }, { a: [[]] }, { a: [[{ b: 1 }]] }]],
  [{ 'a.1': { $ne: null } }, [{ a: [7] }, { a: [] }], [{}, { a: [{ x: 1 }] }]],
  [{ 'a.1': { $in: [null, 5] } }, [{}, { a: [{}] }, { a: [1, 5] }], [{ a: [7] }]],
  [{ 'a.1': { $nin: [null, 5] } }, [{ a: [7] }], [{}, { a: [{}] }, { a: [1, 5] }]],
  [{ 'a.1': { $exists: false } }, [{ a: [7] }, { a: [{ x: 1 }] }, {}], [{ a: [{ 1: 1 }] }, { a: [1, 2] }]],
  [{ 'a.0': { $gt: 0 } }, [{ a: [1] }, { a: { 0: [1] } }], [{ a: [[1]] }]],
  [{ 'a.0': [1] }, [{ a: [[1]] }, { a: { 0: [1] } }], [{ a: [1] }]],
  [{ 'a.0': { $size: 1 } }, [{ a: [[1]] }], [{ a: [1] }]],
  [{ 'a.0': { $type: 'array' } }, [{ a: [[1]] }], [{ a: [1] }]],
  [{ 'a.0': { $type: 'number' } }, [{ a: [1] }], [{ a: [[1]] }]],
  [{ a: { $exists: 1 } }, [{ a: null }], [{}]],
  [{ a: { $exists: 'no' } }, [{ a: 1 }], [{}]],
  [{ a: { $exists: '' } }, [{ a: 1 }], [{}]],
  [{ a: { $exists: [] } }, [{ a: 1 }], [{}]],
  [{ a: { $exists: 0 } }, [{}], [{ a: null }]],
  [{ a: { $exists: null } }, [{}], [{ a: 0 }]],
  [{ 'a.1': { $exists: true } }, [{ a: [1, 2] }], [{ a: [1] }, { a: 'xy' }, {}]],
  [{ a: [1, 2] }, [{ a: [1, 2] }, { a: [[1, 2], 3] }], [{ a: [2, 1] }, { a: [1, 2, 3] }, { a: [[[1, 2]]] }]],
  [{ a: { $in: [[1]] } }, [{ a: [1] }, { a: [[1]] }], [{ a: 1 }, { a: [1, 2] }]],
  [{ a: {} }, [{ a: {} }, { a: [{}] }], [{ a: { b: 1 } }, { a: [] }, {}]],
  [{ a: { $size: 2 } }, [{ a: [1, 2] }], [{ a: [[1, 2]] }, { a: [1] }, { a: 'ab' }, {}]],
  [{ a: { $size: 0 } }, [{ a: [] }], [{ a: [[]] }, {}, { a: null }]],
  [{ 'a.b': { $size: 1 } }, [{ a: [{ b: [] }, { b: [1] }] }], [{ a: [{ b: 1 }] }]],
  [{ a: { $all: [1, 2] } }, [{ a: [2, 3, 1] }], [{ a: [1] }, { a: 1 }]],
  [{ a: { $all: [5] } }, [{ a: 5 }, { a: [5] }], [{ a: [[5]] }]],
  [{ a: { $all: [[1, 2]] } }, [{ a: [1, 2] }, { a: [[1, 2]] }], [{ a: [1, 2, 3] }]],
  [{ a: { $all: [] } }, [], [{ a: [] }, {}, { a: 1 }]],
  [
    { a: { $all: [{ $elemMatch: { x: 1 } }, { $elemMatch: { x: 2 } }] } },
    [{ a: [{ x: 1 }, { x: 2 }] }],
    [{ a: [{ x: 1 }] }],
  ],
  [
    { a: { $elemMatch: { x: 1, y: { $gt: 1 } } } },
    [{ a: [{ x: 1, y: 2 }] }],
    [{ a: [{ x: 1 }, { y: 2 }] }, { a: { x: 1, y: 2 } }],
  ],
  [{ a: { $elemMatch: { $gte: 80, $lt: 85 } } }, [{ a: [70, 82] }], [{ a: [79, 90] }, { a: 82 }]],
  [{ a: { $elemMatch: { $or: [{ x: 1 }, { x: 2 }] } } }, [{ a: [{ x: 2 }] }], [{ a: [{ x: 3 }] }]],
  [{ a: { $elemMatch: { $elemMatch: { $eq: 1 } } } }, [{ a: [[1]] }], [{ a: [1] }, { a: [[2]] }]],
  [{ a: { $elemMatch: {} } }, [{ a: [{}] }, { a: [[]] }], [{ a: [1] }, { a: [] }, { a: {} }]],
  // An element is compared as a whole: an array within the array is not searched.
  [{ a: { $elemMatch: { $gt: 5, $lt: 9 } } }, [{ a: [8] }], [{ a: [[8]] }, { a: [[6, 8]] }]],
  [{ a: { $elemMatch: { $eq: 5 } } }, [{ a: [5] }], [{ a: [[5]] }]],
  [{ a: { $elemMatch: { $eq: [5] } } }, [{ a: [[5]] }], [{ a: [5] }, { a: [[[5]]] }]],
  [{ a: { $elemMatch: { $in: [5, [6]] } } }, [{ a: [5] }, { a: [[6]] }], [{ a: [[5]] }, { a: [[[6]]] }]],
  [{ a: { $elemMatch: { $ne: 5 } } }, [{ a: [[5]] }, { a: [5, 6] }], [{ a: [5] }, { a: [] }]],
  [{ a: { $elemMatch: { $not: { $gt: 5 } } } }, [{ a: [[8]] }, { a: [1] }], [{ a: [8] }]],
  [{ a: { $elemMatch: { $eq: null } } }, [{ a: [null] }], [{ a: [[null]] }, { a: [] }, {}]],
  [{ a: { $elemMatch: { $regex: '^x' } } }, [{ a: ['xy'] }], [{ a: [['xy']] }]],
  [{ a: { $elemMatch: { $mod: [4, 0] } } }, [{ a: [8] }], [{ a: [[8]] }]],
  [{ a: { $elemMatch: { $bitsAllSet: 8 } } }, [{ a: [8] }], [{ a: [[8]] }]],
  [{ a: { $elemMatch: { $size: 1 } } }, [{ a: [[8]] }], [{ a: [8] }, { a: [[[8, 9], 1]] }]],
  [{ a: { $elemMatch: { $type: 'array' } } }, [{ a: [[8]] }, { a: [[]] }], [{ a: [8] }]],
  [{ a: { $elemMatch: { $type: 'number' } } }, [{ a: [8] }], [{ a: [[8]] }]],
  [{ a: { $elemMatch: { $all: [8] } } }, [{ a: [8] }], [{ a: [[8]] }]],
  [{ a: { $elemMatch: { $exists: true } } }, [{ a: [null] }, { a: [[]] }], [{ a: [] }, { a: 1 }]],
  // An array within the array counts as a document whose field names are its positions.
  [
    { a: { $elemMatch: { 0: { $gt: 5 } } } },
    [{ a: [[6]] }, { a: [{ 0: 6 }] }],
    [{ a: [6] }, { a: [[1, 6]] }],
  ],
  [
    { a: { $elemMatch: { '1.x': 6 } } },
    [{ a: [[0, { x: 6 }]] }, { a: [[0, [{ x: 6 }]]] }],
    [{ a: [[{ x: 6 }]] }],
  ],
  [{ a: { $elemMatch: { x: 6 } } }, [{ a: [{ x: 6 }] }], [{ a: [[{ x: 6 }]] }]],
  [
    { a: { $elemMatch: { x: { $exists: false } } } },
    [{ a: [[1]] }, { a: [{}] }],
    [{ a: [1] }, { a: [{ x: 1 }] }],
  ],
  [{ a: { $gt: 2, $lt: 4 } }, [{ a: 3 }, { a: [1, 5] }], [{ a: 5 }, { a: [0, 1] }]],
]);

table('comparison never crosses types', [
  [{ a: 1 }, [{ a: 1 }], [{ a: '1' }, { a: true }, { a: null }]],
  [{ a: { $gt: 0 } }, [{ a: 0.5 }], [{ a: 'x' }, { a: true }, { a: {} }, { a: null }]],
  [{ a: { $lt: 'b' } }, [{ a: 'B' }, { a: '' }], [{ a: 1 }, { a: 'b' }]],
  [{ a: { $lt: true } }, [{ a: false }], [{ a: true }, { a: 0 }, {}]],
  [{ a: { $ne: '1' } }, [{ a: 1 }, {}, { a: null }], [{ a: '1' }, { a: ['1'] }]],
  [{ a: { $gt: '\uffee' } }, [{ a: '𝄞' }], [{ a: '\uffed' }]],
  [{ a: 0.1 }, [{ a: 0.1 }], [{ a: 0.1 + Number.EPSILON }]],
  [{ a: { $in: [] } }, [], [{}, { a: [] }, { a: null }]],
]);

table('types', [
  [
    { a: { $type: 'int' } },
    [{ a: 5 }, { a: ['x', 5] }, { a: -2147483648 }],
    [{ a: 5.5 }, { a: 2147483648 }, { a: '5' }, { a: [[5]] }],
  ],
  [{ a: { $type: 'long' } }, [{ a: 2147483648 }], [{ a: 5 }, { a: 1e21 }]],
  [{ a: { $type: 'double' } }, [{ a: 5.5 }, { a: 1e21 }], [{ a: 5 }]],
  [{ a: { $type: 'number' } }, [{ a: 5 }, { a: 5.5 }, { a: [1] }], [{ a: '5' }, {}]],
  [{ a: { $type: ['string', 8] } }, [{ a: 'x' }, { a: true }, { a: [false] }], [{ a: null }, { a: [['x']] }]],
  [{ a: { $type: 'array' } }, [{ a: [] }, { a: [[]] }], [{ a: {} }, {}]],
  [{ a: { $type: 'object' } }, [{ a: {} }, { a: [{}] }], [{ a: [] }]],
  [{ a: { $type: 'objectId' } }, [], [{ a: 'x' }]],
]);

table('numbers by their remainder and their bits', [
  [{ a: { $mod: [4, 0] } }, [{ a: 0 }, { a: 12 }, { a: [1, 8] }], [{ a: 5 }, { a: '4' }, {}, { a: null }]],
  [{ a: { $mod: [4, 1] } }, [{ a: 5 }, { a: 5.7 }], [{ a: -5 }]],
  [{ a: { $mod: [4, -1] } }, [{ a: -5 }], [{ a: 5 }, { a: 3 }]],
  [{ a: { $mod: [4.9, 1.9] } }, [{ a: 5 }], [{ a: 4 }]],
  [
    { a: { $bitsAllSet: [1, 5] } },
    [{ a: 54 }, { a: [0, 54] }, { a: -1 }],
    [{ a: 20 }, { a: '54' }, { a: 54.5 }, { a: 1e21 }, {}],
  ],
  [{ a: { $bitsAllSet: 50 } }, [{ a: 54 }], [{ a: 20 }]],
  [{ a: { $bitsAnySet: [1, 2] } }, [{ a: 20 }], [{ a: 1 }]],
  [{ a: { $bitsAllClear: [0, 3] } }, [{ a: 20 }, { a: 0 }], [{ a: 9 }, { a: 'x' }, {}]],
  [{ a: { $bitsAnyClear: [0, 1] } }, [{ a: 20 }, { a: 1 }], [{ a: 3 }]],
  [{ a: { $bitsAllSet: [70] } }, [{ a: -1 }], [{ a: 1 }]],
]);

table('regular expressions read as PCRE does', [
  [
    { a: { $regex: 'a.b' } },
    [{ a: 'a.b' }, { a: ['x', 'aab'] }],
    [{ a: 'a\nb' }, { a: 1 }, {}, { a: [['aab']] }],
  ],
  [{ a: { $regex: 'a.b', $options: 's' } }, [{ a: 'a\nb' }], [{ a: 'ab' }]],
  [{ a: { $regex: '^b$' } }, [{ a: 'b' }], [{ a: 'a\nb' }]],
  [{ a: { $regex: '^b$', $options: 'm' } }, [{ a: 'a\nb' }], [{ a: 'ab' }]],
  [{ a: { $regex: '^a.', $options: 'm' } }, [{ a: 'x\nab' }], [{ a: 'x\na\n' }]],
  [{ a: { $regex: 'É', $options: 'i' } }, [{ a: 'école' }], [{ a: 'ecole' }]],
  [{ a: { $regex: '(?i)AB' } }, [{ a: 'ab' }], [{ a: 'a' }]],
  [{ a: { $regex: 'a b # c', $options: 'x' } }, [{ a: 'ab' }], [{ a: 'a b' }]],
  [{ a: { $regex: '\\bfoo\\b' } }, [{ a: 'a foo b' }], [{ a: 'food' }]],
  [{ a: { $regex: '^\\d{2}\\x41$' } }, [{ a: '12A' }], [{ a: '12' }]],
  [{ a: { $regex: '[.]' } }, [{ a: '.' }], [{ a: 'x' }]],
  [{ a: { $regex: '^[^a]$' } }, [{ a: '\n' }], [{ a: 'a' }]],
  [{ a: { $regex: '\\.' } }, [{ a: '.' }], [{ a: 'x' }]],
  [{ a: { $not: { $regex: 'a' } } }, [{ a: 'b' }, {}, { a: 1 }], [{ a: 'a' }]],
]);

table('text search', [
  [{ a: { $search: 'É%' } }, [{ a: 'xé%y' }, { a: ['é%'] }], [{ a: 'éx' }, { a: 1 }, {}]],
  [{ a: { $search: '_\\' } }, [{ a: 'a_\\b' }], [{ a: 'ab\\' }]],
  [{ a: { $search: '' } }, [{ a: '' }, { a: 'x' }], [{}, { a: 1 }]],
]);

describe('typed columns', () => {
  const { integer, text, date, datetime, json, array, boolean } = COLUMN_TYPES;
  const documents: JsonObject[] = [
    { i: 5, s: 'b', d: '2024-01-31', t: '2024-01-31T09:30:00.123456Z', j: { k: [1] }, l: ['red'], y: true },
    { i: 20, s: 'É', d: '2024-02-29', t: '2024-02-29T00:00:00+02:00', j: 'x', l: [], y: false },
    {},
  ];
  let placement: Placement;
  beforeAll(async () => {
    const columns = { i: integer, s: text, d: date, t: datetime, j: json, l: array, y: boolean };
    placement = await placeTyped(client, 'manual_typed', columns, documents);
  });

  it.each<[JsonObject, number[]]>([
    [{ i: 5 }, [0]],
    [{ i: '5' }, []],
    [{ i: { $ne: '5' } }, [0, 1, 2]],
    [{ i: { $gt: 4.5 } }, [0, 1]],
    [{ i: { $lt: 1e300 } }, [0, 1]],
    [{ i: { $in: [null, 20, 'x', 1.5] } }, [1, 2]],
    [{ i: { $mod: [5, 0] } }, [0, 1]],
    [{ i: { $bitsAllSet: 4 } }, [0, 1]],
    [{ i: { $type: 'int' } }, [0, 1]],
    [{ i: { $exists: true } }, [0, 1, 2]],
    [{ i: { $exists: false } }, []],
    [{ i: { $type: 'null' } }, [2]],
    [{ 'i.x': null }, [0, 1, 2]],
    [{ 'i.x': { $exists: true } }, []],
    [{ i: { $elemMatch: { $gt: 1 } } }, []],
    [{ i: { $size: 1 } }, []],
    [{ i: { $all: [5] } }, [0]],
    [{ i: { $regex: '5' } }, []],
    [{ s: { $gt: 'a' } }, [0, 1]],
    [{ s: { $regex: 'é', $options: 'i' } }, [1]],
    [{ $search: 'é' }, [1]],
    [{ $nor: [{ $search: 'é' }] }, [0, 2]],
    [{ d: '2024-02-29' }, [1]],
    [{ d: { $gt: '2024-01-31' } }, [1]],
    [{ d: { $type: 'date' } }, [0, 1]],
    [{ d: { $type: 'string' } }, []],
    [{ d: 20240229 }, []],
    [{ t: '2024-01-31T10:30:00.123+01:00' }, [0]],
    [{ t: { $lt: '2024-02-29' } }, [0, 1]],
    [{ t: { $gte: '2024-02-28T22:00:00Z' } }, [1]],
    [{ t: { $in: ['2024-02-28T22:00:00Z'] } }, [1]],
    [{ j: null }, [2]],
    [{ j: 'x' }, [1]],
    [{ j: { k: [1] } }, [0]],
    [{ 'j.k': 1 }, [0]],
    [{ 'j.k.0': 1 }, [0]],
    [{ 'j.k': null }, [1, 2]],
    [{ j: { $exists: true } }, [0, 1, 2]],
    [{ j: { $type: 'null' } }, [2]],
    [{ l: 'red' }, [0]],
    [{ 'l.0': 'red' }, [0]],
    [{ l: { $size: 0 } }, [1]],
    [{ l: null }, [2]],
    [{ l: [] }, [1]],
    [{ y: { $gt: false } }, [0]],
    [{ y: { $in: [false, null] } }, [1, 2]],
    [{ _id: 'x' }, []],
    [{ _id: { $ne: 'x' } }, [0, 1, 2]],
    [{ _id: { $regex: '-4[0-9a-f]{3}-' } }, [0, 1, 2]],
    [{ _id: { $type: 'string' } }, [0, 1, 2]],
  ])('%j finds %j', async (filter, found) => {
    expect(await matching(client, placement, filter)).toEqual(found);
  });
});

it('reads paths as deep as a record may be, with at most four indexes in one', async () => {
  const deep = (levels: number): JsonObject => (levels === 1 ? { a: 1 } : { a: deep(levels - 1) });
  const path = (levels: number) => Array(levels).fill('a').join('.');
  expect(await finds({ [path(99)]: 1 }, [deep(99), deep(98)])).toEqual([deep(99)]);
  expect(await finds({ [path(99)]: null }, [deep(99), deep(98)])).toEqual([deep(98)]);
  const indexed = { a: [[[[7]]]] };
  expect(await finds({ 'a.0.0.0.0': 7 }, [indexed, { a: [[[7]]] }])).toEqual([indexed]);
  const objects = { a: [[[{}]]] };
  expect(await finds({ 'a.0.0.0.0': null }, [indexed, { a: [[[]]] }, objects])).toEqual([objects]);
});

it('refuses an invalid regular expression by name', () => {
  for (const pattern of ['(', '***', '[z-a]', 'a{2,1}', '\\p{L}', '\\mfoo'])
    expect(() => parseFilter({ a: { $regex: pattern } })).toThrow('$regex: ');
});
