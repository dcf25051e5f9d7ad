import type { JsonObject } from '../../src/base/kernel/json.js';

/** A filter, the documents that it finds and the documents that it does not find. */
export type Row = readonly [
  filter: JsonObject,
  found: readonly JsonObject[],
  notFound: readonly JsonObject[],
];

/** The statements of MongoDB's manual, turned into rows, one table per operator. */
export const TABLES: Readonly<Record<string, readonly Row[]>> = {
  '{field: value}': [
    [{ qty: 20 }, [{ qty: 20 }, { qty: [5, 20] }], [{ qty: '20' }, { qty: 21 }, {}]],
    [{ tags: ['a', 'b'] }, [{ tags: ['a', 'b'] }], [{ tags: ['b', 'a'] }, { tags: ['a', 'b', 'c'] }]],
    [{ size: { h: 14, w: 21 } }, [{ size: { h: 14, w: 21 } }], [{ size: { h: 14 } }, { size: 14 }]],
    [{ item: null }, [{ item: null }, {}], [{ item: 0 }, { item: '' }, { item: false }]],
    [{ 'size.h': 14 }, [{ size: { h: 14 } }, { size: [{ w: 1 }, { h: 14 }] }], [{ size: { h: 15 } }]],
  ],
  $eq: [
    [{ qty: { $eq: 20 } }, [{ qty: 20 }, { qty: [20, 1] }], [{ qty: '20' }, {}]],
    [{ 'item.name': { $eq: 'ab' } }, [{ item: { name: 'ab' } }], [{ item: 'ab' }, { 'item name': 'ab' }]],
    [{ tags: { $eq: ['a', 'b'] } }, [{ tags: ['a', 'b'] }, { tags: [['a', 'b'], 'c'] }], [{ tags: 'a' }]],
  ],
  $ne: [
    [{ qty: { $ne: 20 } }, [{ qty: 21 }, { qty: '20' }, {}, { qty: null }], [{ qty: 20 }, { qty: [1, 20] }]],
    [{ qty: { $ne: null } }, [{ qty: 0 }, { qty: [] }], [{ qty: null }, {}]],
  ],
  $gt: [
    [{ qty: { $gt: 20 } }, [{ qty: 20.5 }, { qty: [1, 30] }], [{ qty: 20 }, { qty: '30' }, {}]],
    [{ item: { $gt: 'b' } }, [{ item: 'ba' }, { item: 'c' }], [{ item: 'b' }, { item: 'B' }, { item: 9 }]],
  ],
  $gte: [
    [{ qty: { $gte: 20 } }, [{ qty: 20 }, { qty: 21 }], [{ qty: 19 }, { qty: true }, {}]],
    [{ qty: { $gte: null } }, [{ qty: null }, {}], [{ qty: 1 }, { qty: '' }]],
    [{ on: { $gte: false } }, [{ on: false }, { on: true }], [{ on: 1 }, {}]],
  ],
  $lt: [
    [{ qty: { $lt: 20 } }, [{ qty: -3 }, { qty: [30, 3] }], [{ qty: 20 }, { qty: null }, {}]],
    [{ qty: { $lt: null } }, [], [{ qty: null }, {}, { qty: -1 }]],
  ],
  $lte: [
    [{ qty: { $lte: 20 } }, [{ qty: 20 }, { qty: 0 }], [{ qty: 21 }, { qty: '1' }, {}]],
    [{ qty: { $lte: 5, $gte: 5 } }, [{ qty: 5 }, { qty: [1, 9] }], [{ qty: 4 }]],
  ],
  $in: [
    [{ qty: { $in: [5, 15] } }, [{ qty: 5 }, { qty: [15, 1] }], [{ qty: 10 }, { qty: '5' }, {}]],
    [
      { tags: { $in: [['a'], 'x'] } },
      [{ tags: ['a'] }, { tags: 'x' }],
      [{ tags: 'a' }, { tags: ['a', 'b'] }],
    ],
    [{ qty: { $in: [null] } }, [{ qty: null }, {}, { qty: [null] }], [{ qty: 0 }, { qty: [] }]],
    [{ qty: { $in: [] } }, [], [{}, { qty: null }, { qty: [] }]],
  ],
  $nin: [
    [{ qty: { $nin: [5, 15] } }, [{ qty: 10 }, {}, { qty: [1] }], [{ qty: 5 }, { qty: [15] }]],
    [{ qty: { $nin: [] } }, [{}, { qty: 1 }], []],
  ],
  $and: [
    [{ $and: [{ qty: { $gt: 1 } }, { item: 'a' }] }, [{ qty: 2, item: 'a' }], [{ qty: 2 }, { item: 'a' }]],
    [
      { $and: [{ qty: { $ne: 1 } }, { qty: { $exists: true } }] },
      [{ qty: 2 }, { qty: null }],
      [{ qty: 1 }, {}],
    ],
  ],
  $or: [[{ $or: [{ qty: { $lt: 20 } }, { price: 10 }] }, [{ qty: 3 }, { price: 10 }], [{ qty: 20 }, {}]]],
  $nor: [
    [
      { $nor: [{ price: 2 }, { sale: true }] },
      [{}, { price: 3, sale: false }],
      [{ price: 2 }, { sale: true }],
    ],
  ],
  $not: [
    [{ price: { $not: { $gt: 2 } } }, [{ price: 2 }, {}, { price: 'x' }], [{ price: 3 }, { price: [1, 3] }]],
    [{ item: { $not: { $regex: '^p' } } }, [{ item: 'x' }, {}, { item: 5 }], [{ item: 'pen' }]],
  ],
  $exists: [
    [{ qty: { $exists: true } }, [{ qty: 1 }, { qty: null }, { qty: [] }], [{}, { item: 1 }]],
    [{ qty: { $exists: false } }, [{}, { item: 1 }], [{ qty: null }, { qty: '' }]],
    [{ 'a.b': { $exists: true } }, [{ a: { b: null } }, { a: [{}, { b: 1 }] }], [{ a: {} }, { a: [{}] }, {}]],
  ],
  $type: [
    [{ zip: { $type: 'string' } }, [{ zip: '1' }, { zip: ['1', 2] }], [{ zip: 1 }, { zip: null }, {}]],
    [{ zip: { $type: 2 } }, [{ zip: 'x' }], [{ zip: 2 }]],
    [
      { zip: { $type: 'number' } },
      [{ zip: 1 }, { zip: 1.5 }, { zip: ['x', 2] }],
      [{ zip: '1' }, { zip: true }],
    ],
    [{ zip: { $type: ['string', 'bool'] } }, [{ zip: 'x' }, { zip: false }], [{ zip: 0 }, { zip: {} }]],
    [{ zip: { $type: 'array' } }, [{ zip: [] }, { zip: [1] }], [{ zip: {} }, { zip: 1 }, {}]],
    [{ zip: { $type: 'object' } }, [{ zip: {} }, { zip: [{ a: 1 }] }], [{ zip: [1] }, { zip: 'x' }]],
    [{ zip: { $type: 'null' } }, [{ zip: null }], [{}, { zip: '' }]],
    [{ zip: { $type: 'int' } }, [{ zip: 7 }], [{ zip: 7.5 }, { zip: 3_000_000_000 }]],
    [{ zip: { $type: 'double' } }, [{ zip: 7.5 }], [{ zip: 7 }, { zip: '7.5' }]],
    [{ zip: { $type: 'objectId' } }, [], [{ zip: 'x' }, {}]],
  ],
  $regex: [
    [
      { sku: { $regex: '789$' } },
      [{ sku: 'abc789' }, { sku: ['x', '789'] }],
      [{ sku: '7890' }, { sku: 789 }],
    ],
    [{ sku: { $regex: '^ABC', $options: 'i' } }, [{ sku: 'abc1' }, { sku: 'ABC' }], [{ sku: 'xabc' }]],
  ],
  '$regex m': [
    [
      { text: { $regex: '^S', $options: 'm' } },
      [{ text: 'Single' }, { text: 'First\nSecond' }],
      [{ text: 'aS' }],
    ],
    [{ text: { $regex: '^S' } }, [{ text: 'Single' }], [{ text: 'First\nSecond' }]],
    [{ text: { $regex: 'e$', $options: 'm' } }, [{ text: 'line\nx' }], [{ text: 'lines' }]],
  ],
  '$regex s': [
    [{ text: { $regex: 'm.*line', $options: 's' } }, [{ text: 'many\nline' }], [{ text: 'line m' }]],
    [{ text: { $regex: 'm.*line' } }, [{ text: 'my line' }], [{ text: 'many\nline' }]],
  ],
  '$regex x': [
    [
      { sku: { $regex: 'abc # code\n 123 # number', $options: 'x' } },
      [{ sku: 'abc123' }],
      [{ sku: 'abc 123' }, { sku: 'abc' }],
    ],
    [{ sku: { $regex: 'a\\ b', $options: 'x' } }, [{ sku: 'a b' }], [{ sku: 'ab' }]],
    [{ sku: { $regex: 'A b', $options: 'ix' } }, [{ sku: 'aB' }], [{ sku: 'a b' }]],
  ],
  $mod: [
    [{ qty: { $mod: [4, 0] } }, [{ qty: 0 }, { qty: 12 }, { qty: [3, 8] }], [{ qty: 5 }, { qty: '4' }, {}]],
    [{ qty: { $mod: [4, 3] } }, [{ qty: 7 }], [{ qty: -7 }, { qty: 4 }]],
    [{ qty: { $mod: [4, -3] } }, [{ qty: -7 }], [{ qty: 7 }]],
    [{ qty: { $mod: [4.5, 1] } }, [{ qty: 5 }, { qty: 5.9 }], [{ qty: 4.5 }]],
  ],
  $all: [
    [{ tags: { $all: ['a', 'b'] } }, [{ tags: ['b', 'x', 'a'] }], [{ tags: ['a'] }, { tags: 'a' }, {}]],
    [{ qty: { $all: [50] } }, [{ qty: 50 }, { qty: [50, 1] }], [{ qty: [[50]] }, {}]],
    [
      { tags: { $all: [['a', 'b']] } },
      [{ tags: ['a', 'b'] }, { tags: [['a', 'b'], 'c'] }],
      [{ tags: ['a'] }],
    ],
    [
      { qty: { $all: [{ $elemMatch: { n: 1 } }, { $elemMatch: { n: { $gt: 5 } } }] } },
      [{ qty: [{ n: 1 }, { n: 6 }] }],
      [{ qty: [{ n: 1 }] }],
    ],
    [{ tags: { $all: [] } }, [], [{ tags: [] }, {}]],
  ],
  $elemMatch: [
    [
      { marks: { $elemMatch: { $gte: 80, $lt: 85 } } },
      [{ marks: [82, 9] }],
      [{ marks: [75, 90] }, { marks: 82 }],
    ],
    [
      { marks: { $elemMatch: { by: 'x', at: { $gte: 8 } } } },
      [{ marks: [{ by: 'x', at: 9 }] }],
      [
        {
          marks: [
            { by: 'x', at: 7 },
            { by: 'y', at: 9 },
          ],
        },
      ],
    ],
  ],
  $size: [
    [{ tags: { $size: 1 } }, [{ tags: ['a'] }, { tags: [['a', 'b']] }], [{ tags: [] }, { tags: 'a' }, {}]],
    [{ tags: { $size: 0 } }, [{ tags: [] }], [{}, { tags: null }, { tags: [[]] }]],
  ],
  $bitsAllSet: [
    [{ a: { $bitsAllSet: [1, 5] } }, [{ a: 54 }, { a: -1 }], [{ a: 20 }, { a: '54' }, {}]],
    [{ a: { $bitsAllSet: 50 } }, [{ a: 54 }, { a: 50 }], [{ a: 20 }, { a: 50.5 }]],
  ],
  $bitsAnySet: [
    [{ a: { $bitsAnySet: [1, 5] } }, [{ a: 54 }, { a: 2 }], [{ a: 20 }, { a: 0 }]],
    [{ a: { $bitsAnySet: 35 } }, [{ a: 1 }, { a: 32 }], [{ a: 4 }, {}]],
  ],
  $bitsAllClear: [
    [{ a: { $bitsAllClear: [1, 5] } }, [{ a: 20 }, { a: 0 }], [{ a: 54 }, { a: 2 }, { a: 'x' }]],
    [{ a: { $bitsAllClear: 35 } }, [{ a: 20 }], [{ a: 1 }, { a: 54 }, {}]],
  ],
  $bitsAnyClear: [
    [{ a: { $bitsAnyClear: [1, 5] } }, [{ a: 20 }, { a: 2 }], [{ a: 54 }, { a: -1 }]],
    [{ a: { $bitsAnyClear: 35 } }, [{ a: 20 }, { a: 54 }], [{ a: 35 }, { a: null }]],
  ],
  $search: [
    [
      { name: { $search: 'ADA' } },
      [{ name: 'Ada' }, { name: ['x', 'Nevada'] }],
      [{ name: 'Ad' }, { name: 1 }, {}],
    ],
    [{ name: { $search: '50%' } }, [{ name: 'at 50% off' }], [{ name: 'at 500' }]],
    [{ name: { $search: 'É' } }, [{ name: 'café' }], [{ name: 'cafe' }]],
  ],
};
