import { describe, expect, it } from 'vitest';
import { parseUpdate } from './index.js';

function fields(count: number, value?: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, value ?? n]));
}

describe('an update', () => {
  it('without operators sets fields, as $set does', () => {
    expect(parseUpdate({ a: 1, 'b.c': [2] })).toEqual(parseUpdate({ $set: { a: 1, 'b.c': [2] } }));
    expect(parseUpdate({ a: 1 }).operations).toEqual([{ kind: 'set', path: ['a'], value: 1 }]);
  });

  it('may be empty, as may its operators', () => {
    expect(parseUpdate({}).operations).toEqual([]);
    expect(parseUpdate({ $set: {}, $push: {} }).operations).toEqual([]);
  });

  it('is frozen', () => {
    const update = parseUpdate({ $inc: { a: 1 } });
    expect([update, update.operations, update.operations[0]].every(Object.isFrozen)).toBe(true);
  });

  it.each<[string, unknown, string]>([
    ['text', 'x', 'object'],
    ['a list', [{ $set: { a: 1 } }], 'object'],
    ['null', null, 'object'],
    ['fields beside operators', { $set: { a: 1 }, b: 1 }, 'not both'],
    ['an operator unknown to MongoDB', { $destroy: { a: 1 } }, '$destroy'],
    ['an operator that only aggregation has', { $replaceRoot: { newRoot: {} } }, '$replaceRoot'],
    ['a name of every object', { $constructor: { a: 1 } }, '$constructor'],
    ['operands that are no object', { $set: [] }, '$set'],
    ['a path with an empty part', { $set: { 'a..b': 1 } }, 'empty'],
    ['a positional operator', { $set: { 'a.$': 1 } }, '$'],
    ['all positions', { $inc: { 'a.$[].b': 1 } }, '$'],
    ['__proto__ in a path', { $set: { 'a.__proto__.b': 1 } }, '__proto__'],
    ['operators inside a value', { $set: { a: { $inc: 1 } } }, '$'],
    ['NUL in a value', { $push: { a: '\0' } }, 'NUL'],
    ['$inc by text', { $inc: { a: '1' } }, '$inc'],
    ['$inc by null', { $inc: { a: null } }, '$inc'],
    ['$mul by a list', { $mul: { a: [1] } }, '$mul'],
    ['$inc beyond the doubles', { $inc: { a: Number.POSITIVE_INFINITY } }, '$inc'],
    ['$rename to a number', { $rename: { a: 1 } }, '$rename'],
    ['$rename to nothing', { $rename: { a: '' } }, 'empty'],
    ['$rename to itself', { $rename: { a: 'a' } }, "'a'"],
    ['$rename into itself', { $rename: { a: 'a.b' } }, "'a'"],
    ['$currentDate of another type', { $currentDate: { a: { $type: 'string' } } }, '$currentDate'],
    ['$currentDate by text', { $currentDate: { a: 'now' } }, '$currentDate'],
    ['$push with $each of no list', { $push: { a: { $each: 1 } } }, '$each'],
    ['$push with modifiers alone', { $push: { a: { $slice: 1 } } }, '$'],
    ['$push with an unknown modifier', { $push: { a: { $each: [], $limit: 1 } } }, '$limit'],
    ['$slice by half', { $push: { a: { $each: [], $slice: 0.5 } } }, '$slice'],
    ['$position by text', { $push: { a: { $each: [], $position: '0' } } }, '$position'],
    ['$sort by 2', { $push: { a: { $each: [], $sort: 2 } } }, '$sort'],
    ['$sort by no field', { $push: { a: { $each: [], $sort: {} } } }, '$sort'],
    ['$sort by a field, neither up nor down', { $push: { a: { $each: [], $sort: { b: 'up' } } } }, '$sort'],
    ['$sort by too many fields', { $push: { a: { $each: [], $sort: fields(33, 1) } } }, 'at most 32 fields'],
    ['$addToSet with $each of no list', { $addToSet: { a: { $each: 'x' } } }, '$each'],
    ['$addToSet with a modifier of $push', { $addToSet: { a: { $each: [], $slice: 1 } } }, '$slice'],
    ['$pullAll of no list', { $pullAll: { a: 1 } }, '$pullAll'],
    ['$pull by an unknown operator', { $pull: { a: { $foo: 1 } } }, '$foo'],
    ['$pull by code', { $pull: { a: { $where: 'true' } } }, '$where'],
    ['$pop by 2', { $pop: { a: 2 } }, '$pop'],
    ['$pop by true', { $pop: { a: true } }, '$pop'],
  ])('refuses %s', (_, json, says) => {
    expect(() => parseUpdate(json)).toThrow(expect.objectContaining({ code: 'InvalidArguments' }));
    expect(() => parseUpdate(json)).toThrow(says);
  });

  it.each<[object]>([
    [{ $set: { a: 1 }, $inc: { a: 1 } }],
    [{ $set: { a: 1, 'a.b': 2 } }],
    [{ $set: { 'a.b': 1 }, $unset: { a: '' } }],
    [{ $set: { 'a.b.c': 1 }, $push: { 'a.b': 1 } }],
    [{ $rename: { a: 'b' }, $set: { b: 1 } }],
    [{ $rename: { a: 'b' }, $inc: { 'a.c': 1 } }],
    [{ $rename: { a: 'c', b: 'c' } }],
    [{ $set: { a: 1 }, $setOnInsert: { a: 2 } }],
  ])('refuses %j, because two operations would change the same place', json => {
    expect(() => parseUpdate(json)).toThrow('another operation');
  });

  it('accepts neighbouring paths as separate places', () => {
    const json = { $set: { 'a.b': 1, ab: 2, 'a.bc': 3 }, $inc: { 'a.c': 1 }, $rename: { x: 'y' } };
    expect(parseUpdate(json).operations).toHaveLength(5);
  });

  it('has at most 20,000 parts in all its paths, counted before they are validated', () => {
    const deep = (count: number, end = '') =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}${'.a'.repeat(99)}${end}`, n]));
    expect(parseUpdate({ $set: deep(200) }).operations).toHaveLength(200);
    expect(() => parseUpdate({ $set: deep(200, '.'), $unset: deep(1) })).toThrow('20000 parts');
  });

  it('contains at most 250,000 values', () => {
    const lists = Array.from({ length: 50 }, (_, n) => [`f${n}`, Array(6_000).fill({})]);
    expect(() => parseUpdate(Object.fromEntries(lists))).toThrow('250000 values');
  });

  it('has at most 500 conditions in the filters of all its fields', () => {
    const pulls = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, { a: { $gt: n } }]));
    expect(parseUpdate({ $pull: pulls(500) }).operations).toHaveLength(500);
    expect(() => parseUpdate({ $pull: pulls(501) })).toThrow('500 conditions');
  });

  it('sorts by at most 32 fields', () => {
    expect(parseUpdate({ $push: { a: { $each: [], $sort: fields(32, 1) } } }).operations).toHaveLength(1);
  });

  it('contains at most 10,000 fields', () => {
    expect(parseUpdate(fields(10_000)).operations).toHaveLength(10_000);
    expect(() => parseUpdate(fields(10_001))).toThrow('10000');
  });
});
