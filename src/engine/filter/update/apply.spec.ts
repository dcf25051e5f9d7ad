import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/kernel/json.js';
import { applyUpdate, parseUpdate } from './index.js';

const now = new Date('2026-01-31T09:30:00.250Z');

function updated(
  document: JsonObject,
  update: object,
  more: { inserting?: boolean; pulled?: number[][] } = {},
) {
  return applyUpdate(document, parseUpdate(update), { now, ...more });
}

type Case = [document: JsonObject, update: object, after: JsonObject];

/** Documents and updates from MongoDB's manual, with its rules for edge cases. */
function table(title: string, cases: Case[]): void {
  describe(title, () => {
    it.each(cases)('%j by %j', (document, update, after) => {
      const before = structuredClone(document);
      expect(updated(document, update)).toEqual(after);
      expect(document).toEqual(before);
    });
  });
}

table('$set', [
  [
    { quantity: 250, details: { model: '14QQ', make: 'Clothes' }, tags: ['apparel'] },
    { $set: { quantity: 500, details: { model: '2600' }, tags: ['coats', 'outerwear'] } },
    { quantity: 500, details: { model: '2600' }, tags: ['coats', 'outerwear'] },
  ],
  [
    { details: { make: 'A', model: 1 } },
    { $set: { 'details.make': 'B' } },
    { details: { make: 'B', model: 1 } },
  ],
  [
    { tags: ['a', 'b'], ratings: [{ by: 'x', rating: 4 }] },
    { $set: { 'tags.1': 'rain gear', 'ratings.0.rating': 2 } },
    { tags: ['a', 'rain gear'], ratings: [{ by: 'x', rating: 2 }] },
  ],
  [{}, { $set: { 'a.b.c': 1 } }, { a: { b: { c: 1 } } }],
  [{}, { $set: { 'a.0': 1 } }, { a: { 0: 1 } }],
  [{ a: [] }, { $set: { 'a.2': 'x' } }, { a: [null, null, 'x'] }],
  [{ a: [1] }, { $set: { 'a.2.b': 1 } }, { a: [1, null, { b: 1 }] }],
  [{ a: 1 }, { a: null }, { a: null }],
  [{ a: 1 }, { constructor: 2, 'toString.x': 3 }, { a: 1, constructor: 2, toString: { x: 3 } } as never],
  [{ a: 1 }, {}, { a: 1 }],
]);

table('$setOnInsert counts for new documents only', [
  [{ a: 1 }, { $setOnInsert: { a: 2, 'b.c': 3 } }, { a: 1 }],
]);

table('$unset', [
  [{ sku: 'x', qty: 1, instock: true }, { $unset: { qty: '', instock: '' } }, { sku: 'x' }],
  [{ a: { b: 1, c: 2 } }, { $unset: { 'a.b': 1 } }, { a: { c: 2 } }],
  [{ a: [1, 2, 3] }, { $unset: { 'a.1': '' } }, { a: [1, null, 3] }],
  [{ a: [1] }, { $unset: { 'a.5': '', 'b.c': '', 'd.0': '' } }, { a: [1] }],
  [{ a: 5, b: null }, { $unset: { 'a.b': '', 'b.c': '' } }, { a: 5, b: null }],
  [{ a: [{ b: 1 }] }, { $unset: { 'a.b': '' } }, { a: [{ b: 1 }] }],
]);

table('$inc and $mul', [
  [
    { sku: 'abc123', quantity: 10, metrics: { orders: 2, ratings: 3.5 } },
    { $inc: { quantity: -2, 'metrics.orders': 1 } },
    { sku: 'abc123', quantity: 8, metrics: { orders: 3, ratings: 3.5 } },
  ],
  [{}, { $inc: { a: 5, 'b.c': -1 } }, { a: 5, b: { c: -1 } }],
  [{ a: 0.1 }, { $inc: { a: 0.2 } }, { a: 0.1 + 0.2 }],
  [{ a: [1, 2] }, { $inc: { 'a.0': 1, 'a.3': 4 } }, { a: [2, 2, null, 4] }],
  [{ price: 10.99, quantity: 25 }, { $mul: { price: 1.25, quantity: 2 } }, { price: 13.7375, quantity: 50 }],
  [{}, { $mul: { price: 100, 'a.b': 2 } }, { price: 0, a: { b: 0 } }],
  [{ a: 1e-200 }, { $mul: { a: 1e-200 } }, { a: 0 }],
  [{ a: 0 }, { $mul: { a: -1 } }, { a: 0 }],
]);

table('$min and $max go by MongoDB’s order of types', [
  [{ highScore: 800, lowScore: 200 }, { $min: { lowScore: 150 } }, { highScore: 800, lowScore: 150 }],
  [{ lowScore: 150 }, { $min: { lowScore: 250 } }, { lowScore: 150 }],
  [{ highScore: 800 }, { $max: { highScore: 950 } }, { highScore: 950 }],
  [{ highScore: 950 }, { $max: { highScore: 870 } }, { highScore: 950 }],
  [{}, { $min: { a: 1 }, $max: { b: null } }, { a: 1, b: null }],
  [
    { a: null, b: null },
    { $min: { a: 1 }, $max: { b: 1 } },
    { a: null, b: 1 },
  ],
  [
    { a: 5, b: 5 },
    { $min: { a: 'x' }, $max: { b: 'x' } },
    { a: 5, b: 'x' },
  ],
  [{ a: 'x' }, { $max: { a: {} } }, { a: {} }],
  [{ a: { z: 1 } }, { $max: { a: [] } }, { a: [] }],
  [{ a: [9] }, { $max: { a: false } }, { a: false }],
  [{ a: '𝄞' }, { $min: { a: '\uffee' } }, { a: '\uffee' }],
  [{ a: [1, 2] }, { $max: { a: [1, 3] } }, { a: [1, 3] }],
  [{ a: [1, 2] }, { $max: { a: [1] } }, { a: [1, 2] }],
  [{ a: { x: 1, y: 1 } }, { $max: { a: { x: 1, y: 2 } } }, { a: { x: 1, y: 2 } }],
  [{ a: '2026-01-01' }, { $min: { a: '2025-12-31' } }, { a: '2025-12-31' }],
]);

table('$rename', [
  [
    { nmae: { first: 'g', last: 'w' }, mobile: 1 },
    { $rename: { nmae: 'name', mobile: 'cell' } },
    { name: { first: 'g', last: 'w' }, cell: 1 },
  ],
  [{ name: { first: 'g' } }, { $rename: { 'name.first': 'name.fname' } }, { name: { fname: 'g' } }],
  [{ a: 1, b: 2 }, { $rename: { a: 'b' } }, { b: 1 }],
  [{ a: 1 }, { $rename: { a: 'x.y' } }, { x: { y: 1 } }],
  [{ b: 2 }, { $rename: { a: 'b' } }, { b: 2 }],
  [{ a: 5, b: [1] }, { $rename: { 'a.c': 'd', 'b.x': 'e' } }, { a: 5, b: [1] }],
]);

table('$currentDate', [
  [
    { lastModified: 'x' },
    {
      $currentDate: { lastModified: true, 'cancellation.date': { $type: 'timestamp' }, d: { $type: 'date' } },
    },
    {
      lastModified: '2026-01-31T09:30:00.250Z',
      cancellation: { date: '2026-01-31T09:30:00.250Z' },
      d: '2026-01-31T09:30:00.250Z',
    },
  ],
]);

table('$push', [
  [{ scores: [44, 78] }, { $push: { scores: 89 } }, { scores: [44, 78, 89] }],
  [{}, { $push: { scores: 89, 'a.b': { c: 1 } } }, { scores: [89], a: { b: [{ c: 1 }] } }],
  [{ a: [1] }, { $push: { a: [2, 3] } }, { a: [1, [2, 3]] }],
  [{ a: [1] }, { $push: { a: { $each: [2, 3] } } }, { a: [1, 2, 3] }],
  [{ a: [100] }, { $push: { a: { $each: [50, 60, 70], $position: 0 } } }, { a: [50, 60, 70, 100] }],
  [
    { a: [50, 60, 70, 100] },
    { $push: { a: { $each: [20, 30], $position: 2 } } },
    { a: [50, 60, 20, 30, 70, 100] },
  ],
  [{ a: [50, 60, 100] }, { $push: { a: { $each: [90, 80], $position: -2 } } }, { a: [50, 90, 80, 60, 100] }],
  [{ a: [1, 2] }, { $push: { a: { $each: [0], $position: -9 } } }, { a: [0, 1, 2] }],
  [{ a: [1, 2] }, { $push: { a: { $each: [3], $position: 9 } } }, { a: [1, 2, 3] }],
  [{ a: [40, 50, 60] }, { $push: { a: { $each: [80, 78, 86], $slice: -5 } } }, { a: [50, 60, 80, 78, 86] }],
  [{ a: [89, 90] }, { $push: { a: { $each: [100, 20], $slice: 3 } } }, { a: [89, 90, 100] }],
  [{ a: [89, 70] }, { $push: { a: { $each: [], $slice: -1 } } }, { a: [70] }],
  [{ a: [1] }, { $push: { a: { $each: [2], $slice: 0 } } }, { a: [] }],
  [{}, { $push: { a: { $each: [] } } }, { a: [] }],
  [{ a: [89, 70, 89] }, { $push: { a: { $each: [40, 60], $sort: 1 } } }, { a: [40, 60, 70, 89, 89] }],
  [
    { a: [1, 'b', null, true, [], {}] },
    { $push: { a: { $each: [], $sort: -1 } } },
    { a: [true, [], {}, 'b', 1, null] },
  ],
  [
    {
      quizzes: [
        { wk: 1, score: 10 },
        { wk: 2, score: 8 },
        { wk: 3, score: 5 },
        { wk: 4, score: 6 },
      ],
    },
    {
      $push: {
        quizzes: {
          $each: [
            { wk: 5, score: 8 },
            { wk: 6, score: 7 },
            { wk: 7, score: 6 },
          ],
          $sort: { score: -1 },
          $slice: 3,
        },
      },
    },
    {
      quizzes: [
        { wk: 1, score: 10 },
        { wk: 2, score: 8 },
        { wk: 5, score: 8 },
      ],
    },
  ],
  [
    { a: [{ b: { c: 2 } }, 7, { b: { c: 1 } }] },
    { $push: { a: { $each: [{}], $sort: { 'b.c': 1 } } } },
    { a: [7, {}, { b: { c: 1 } }, { b: { c: 2 } }] },
  ],
]);

table('$addToSet', [
  [{ letters: ['a', 'b'] }, { $addToSet: { letters: ['c', 'd'] } }, { letters: ['a', 'b', ['c', 'd']] }],
  [
    { tags: ['electronics'] },
    { $addToSet: { tags: 'accessories' } },
    { tags: ['electronics', 'accessories'] },
  ],
  [{ tags: ['a', 'b'] }, { $addToSet: { tags: 'b' } }, { tags: ['a', 'b'] }],
  [{ a: [1, 1] }, { $addToSet: { a: { $each: [1, 2, 2, '1'] } } }, { a: [1, 1, 2, '1'] }],
  [{ a: [{ x: 1, y: 2 }] }, { $addToSet: { a: { y: 2, x: 1 } } }, { a: [{ x: 1, y: 2 }] }],
  [{}, { $addToSet: { 'a.b': 1, c: { $each: [] } } }, { a: { b: [1] }, c: [] }],
]);

table('$pull of values, $pullAll and $pop', [
  [{ a: [1, 2, 1, '1', [1]] }, { $pull: { a: 1 } }, { a: [2, '1', [1]] }],
  [{ a: [[1, 2], [2, 1], 1] }, { $pull: { a: [1, 2] } }, { a: [[2, 1], 1] }],
  [{ a: [null, 0, {}] }, { $pull: { a: null } }, { a: [0, {}] }],
  [{ scores: [0, 2, 5, 5, 1, 0] }, { $pullAll: { scores: [0, 5] } }, { scores: [2, 1] }],
  [{ a: [{ x: 1, y: 2 }, { x: 1 }] }, { $pullAll: { a: [{ y: 2, x: 1 }] } }, { a: [{ x: 1 }] }],
  [{ a: 1 }, { $pullAll: { b: [1], 'c.d': [1] }, $pull: { e: 1 } }, { a: 1 }],
  [{ scores: [8, 9, 10] }, { $pop: { scores: -1 } }, { scores: [9, 10] }],
  [{ scores: [9, 10] }, { $pop: { scores: 1 } }, { scores: [9] }],
  [{ a: [] }, { $pop: { a: 1, b: -1 } }, { a: [] }],
  [{ a: { b: [[1, 2]] } }, { $pop: { 'a.b.0': 1 } }, { a: { b: [[1]] } }],
]);

it('applies $setOnInsert only when it creates a document', () => {
  expect(updated({}, { $set: { a: 1 }, $setOnInsert: { 'b.c': 2 } }, { inserting: true })).toEqual({
    a: 1,
    b: { c: 2 },
  });
});

it('removes by $pull what the filter was found to match, each from its own array', () => {
  const update = { $pull: { a: { $gte: 2 }, b: { x: 1 }, c: 3 } };
  const document = { a: [1, 2, 3], b: [{ x: 1 }, { x: 2 }], c: [3, 4] };
  expect(updated(document, update, { pulled: [[1, 2], [0]] })).toEqual({ a: [1], b: [{ x: 2 }], c: [4] });
});

describe('is refused', () => {
  it.each<[JsonObject, object, string]>([
    [{ a: 'x' }, { $inc: { a: 1 } }, 'a: $inc needs a number, the field is of the type string'],
    [{ a: null }, { $inc: { a: 1 } }, 'null'],
    [{ a: { b: [1] } }, { $mul: { 'a.b': 2 } }, 'a.b: $mul needs a number, the field is of the type array'],
    [{ a: 1e308 }, { $inc: { a: 1e308 } }, 'out of the range'],
    [{ a: -1e308 }, { $mul: { a: 10 } }, 'out of the range'],
    [{ a: 5 }, { $set: { 'a.b': 1 } }, "cannot create the field 'b', since 'a' is of the type number"],
    [{ a: null }, { $set: { 'a.b': 1 } }, 'null'],
    [{ a: [1] }, { $set: { 'a.b': 1 } }, 'an array'],
    [{ a: 'xy' }, { $set: { 'a.0': 1 } }, 'string'],
    [{ a: 1 }, { $push: { a: 1 } }, 'a: $push needs an array, the field is of the type number'],
    [{ a: {} }, { $addToSet: { a: 1 } }, 'object'],
    [{ a: 'x' }, { $pull: { a: 'x' } }, 'needs an array'],
    [{ a: null }, { $pull: { a: { $gt: 1 } } }, '$pull needs an array'],
    [{ a: 1 }, { $pullAll: { a: [1] } }, 'needs an array'],
    [{ a: true }, { $pop: { a: 1 } }, 'boolean'],
    [{ a: [{ b: 1 }] }, { $rename: { 'a.0.b': 'c' } }, '$rename cannot rename fields inside arrays'],
    [{ a: [1], b: 2 }, { $rename: { b: 'a.0' } }, '$rename cannot rename fields inside arrays'],
    [{ a: 5, b: 2 }, { $rename: { b: 'a.c' } }, "'a' is of the type number"],
    [{ a: [] }, { $set: { 'a.1500001': 1 } }, 'nulls'],
    [{ a: [], b: [] }, { $set: { 'a.1000000': 1, 'b.1000000': 1 } }, 'nulls'],
  ])('%j by %j', (document, update, says) => {
    const before = structuredClone(document);
    expect(() => updated(document, update)).toThrow(expect.objectContaining({ code: 'InvalidArguments' }));
    expect(() => updated(document, update)).toThrow(says);
    expect(document).toEqual(before);
  });

  it('$push that would compare too many values to sort', () => {
    const document = { a: Array.from({ length: 25_000 }, (_, n) => ({ n: -n, m: 1 })) };
    const push = (fields: object, ...$each: object[]) => ({ $push: { a: { $each, $sort: fields } } });
    expect(() => updated(document, push({ m: 1, n: 1 }))).not.toThrow();
    expect(() => updated(document, push({ m: 1, n: 1 }, {}))).toThrow('$sort compares at most 50000 values');
    expect(() => updated(document, push({ m: 1 }, {}))).not.toThrow();
  });
});
