import type { JsonObject } from '../../src/base/kernel/json.js';

/** A record, an update of it, and the record afterwards; 'refused' if nothing may change. */
export type UpdateRow = readonly [before: JsonObject, operand: JsonObject, after: JsonObject | 'refused'];

/**
 * The statements of MongoDB's manual on its update operators, turned into rows. The operand is the value after
 * the operator.
 */
export const UPDATE_TABLES: Readonly<Record<string, readonly UpdateRow[]>> = {
  $set: [
    [
      { qty: 250, size: { h: 1 } },
      { qty: 500, size: { w: 2 } },
      { qty: 500, size: { w: 2 } },
    ],
    [{ size: { h: 1, w: 2 } }, { 'size.h': 5 }, { size: { h: 5, w: 2 } }],
    [
      { tags: ['a', 'b'], by: [{ n: 1 }] },
      { 'tags.1': 'c', 'by.0.n': 2 },
      { tags: ['a', 'c'], by: [{ n: 2 }] },
    ],
    [{}, { 'a.b.c': 1 }, { a: { b: { c: 1 } } }],
    [{ a: [1] }, { 'a.3': 9 }, { a: [1, null, null, 9] }],
    [{ a: 5 }, { 'a.b': 1 }, 'refused'],
    [{ a: [1] }, { 'a.b': 1 }, 'refused'],
    [{}, { a: 1, 'a.b': 2 }, 'refused'],
  ],
  $setOnInsert: [[{ a: 1 }, { a: 2, b: 3 }, { a: 1 }]],
  $unset: [
    [{ a: 1, b: 2 }, { a: '' }, { b: 2 }],
    [{ a: { b: 1, c: 2 } }, { 'a.b': '' }, { a: { c: 2 } }],
    [{ a: [1, 2, 3] }, { 'a.1': '' }, { a: [1, null, 3] }],
    [{ a: 1 }, { b: '', 'c.d': '' }, { a: 1 }],
  ],
  $inc: [
    [
      { qty: 10, m: { orders: 2 } },
      { qty: -2, 'm.orders': 1 },
      { qty: 8, m: { orders: 3 } },
    ],
    [{}, { qty: 5 }, { qty: 5 }],
    [{ qty: null }, { qty: 1 }, 'refused'],
    [{ qty: '1' }, { qty: 1 }, 'refused'],
    [{ qty: 1 }, { qty: '1' }, 'refused'],
  ],
  $mul: [
    [
      { price: 10.99, qty: 25 },
      { price: 1.25, qty: 2 },
      { price: 13.7375, qty: 50 },
    ],
    [{}, { price: 100 }, { price: 0 }],
    [{ price: [2] }, { price: 2 }, 'refused'],
  ],
  $min: [
    [{ low: 200 }, { low: 150 }, { low: 150 }],
    [{ low: 200 }, { low: 250 }, { low: 200 }],
    [{}, { low: 3 }, { low: 3 }],
    [{ low: 'a' }, { low: 3 }, { low: 3 }],
    [{ low: null }, { low: 3 }, { low: null }],
  ],
  $max: [
    [{ high: 800 }, { high: 950 }, { high: 950 }],
    [{ high: 800 }, { high: 5 }, { high: 800 }],
    [{ high: 800 }, { high: 'a' }, { high: 'a' }],
    [{ high: null }, { high: 0 }, { high: 0 }],
  ],
  $rename: [
    [{ nmae: 'x', a: 1 }, { nmae: 'name' }, { a: 1, name: 'x' }],
    [{ name: { first: 'x' } }, { 'name.first': 'name.fname' }, { name: { fname: 'x' } }],
    [{ a: 1, b: 2 }, { a: 'b' }, { b: 1 }],
    [{ a: 1 }, { b: 'c' }, { a: 1 }],
    [{ a: [{ b: 1 }] }, { 'a.0.b': 'c' }, 'refused'],
    [{ a: 1 }, { a: 'a' }, 'refused'],
  ],
  $currentDate: [
    [{ a: 1 }, { at: true }, { a: 1, at: '2026-01-31T09:30:00.250Z' }],
    [{}, { 'a.at': { $type: 'date' } }, { a: { at: '2026-01-31T09:30:00.250Z' } }],
    [{}, { at: 'now' }, 'refused'],
  ],
  $push: [
    [{ scores: [44] }, { scores: 89 }, { scores: [44, 89] }],
    [{}, { scores: 89 }, { scores: [89] }],
    [{ scores: [1] }, { scores: [2, 3] }, { scores: [1, [2, 3]] }],
    [{ scores: [1] }, { scores: { $each: [2, 3] } }, { scores: [1, 2, 3] }],
    [{ a: [100] }, { a: { $each: [50, 60], $position: 0 } }, { a: [50, 60, 100] }],
    [{ a: [50, 60, 100] }, { a: { $each: [90, 80], $position: -2 } }, { a: [50, 90, 80, 60, 100] }],
    [{ a: [40, 50, 60] }, { a: { $each: [80, 78, 86], $slice: -5 } }, { a: [50, 60, 80, 78, 86] }],
    [{ a: [89, 90] }, { a: { $each: [100, 20], $slice: 3 } }, { a: [89, 90, 100] }],
    [{ a: [1] }, { a: { $each: [2], $slice: 0 } }, { a: [] }],
    [{ a: [89, 70, 100] }, { a: { $each: [40, 60], $sort: 1 } }, { a: [40, 60, 70, 89, 100] }],
    [
      {
        a: [
          { id: 1, n: 6 },
          { id: 2, n: 9 },
        ],
      },
      { a: { $each: [{ id: 3, n: 8 }], $sort: { n: -1 }, $slice: 2 } },
      {
        a: [
          { id: 2, n: 9 },
          { id: 3, n: 8 },
        ],
      },
    ],
    [{ a: 1 }, { a: 2 }, 'refused'],
    [{ a: [] }, { a: { $each: 1 } }, 'refused'],
  ],
  $addToSet: [
    [{ l: ['a', 'b'] }, { l: 'c' }, { l: ['a', 'b', 'c'] }],
    [{ l: ['a', 'b'] }, { l: 'a' }, { l: ['a', 'b'] }],
    [{ l: ['a'] }, { l: ['b', 'c'] }, { l: ['a', ['b', 'c']] }],
    [{ l: ['a'] }, { l: { $each: ['b', 'a', 'b'] } }, { l: ['a', 'b'] }],
    [{ l: [1, 1] }, { l: 2 }, { l: [1, 1, 2] }],
    [{ l: 1 }, { l: 2 }, 'refused'],
  ],
  $pop: [
    [{ a: [8, 9, 10] }, { a: -1 }, { a: [9, 10] }],
    [{ a: [9, 10] }, { a: 1 }, { a: [9] }],
    [{ a: [] }, { a: 1 }, { a: [] }],
    [{ a: 1 }, { a: 1 }, 'refused'],
    [{ a: [1] }, { a: 2 }, 'refused'],
  ],
  $pull: [
    [{ fruits: ['a', 'b', 'c', 'a'] }, { fruits: 'a' }, { fruits: ['b', 'c'] }],
    [{ fruits: ['a', 'b', 'c'] }, { fruits: { $in: ['a', 'c'] } }, { fruits: ['b'] }],
    [{ votes: [3, 5, 6, 7, 8] }, { votes: { $gte: 6 } }, { votes: [3, 5] }],
    [
      {
        results: [
          { item: 'A', score: 5 },
          { item: 'B', score: 8, note: 'x' },
        ],
      },
      { results: { score: 8, item: 'B' } },
      { results: [{ item: 'A', score: 5 }] },
    ],
    [
      {
        results: [
          { answers: [{ q: 1, a: 4 }] },
          {
            answers: [
              { q: 1, a: 8 },
              { q: 2, a: 9 },
            ],
          },
        ],
      },
      { results: { answers: { $elemMatch: { q: 2, a: { $gte: 8 } } } } },
      { results: [{ answers: [{ q: 1, a: 4 }] }] },
    ],
    [{ a: 1 }, { a: 1 }, 'refused'],
  ],
  $pullAll: [
    [{ scores: [0, 2, 5, 5, 1, 0] }, { scores: [0, 5] }, { scores: [2, 1] }],
    [{ a: [{ x: 1, y: 2 }, { x: 1 }] }, { a: [{ y: 2, x: 1 }] }, { a: [{ x: 1 }] }],
    [{ a: [1] }, { a: 1 }, 'refused'],
  ],
};
