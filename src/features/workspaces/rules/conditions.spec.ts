// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of rules look like this

import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../base/kernel/errors.js';
import { assertConditions } from './conditions.js';

const refusalOf = (conditions: unknown) => {
  try {
    assertConditions(conditions, 'conditions');
    return undefined;
  } catch (error) {
    return error instanceof PlatformError ? `${error.code} ${error.message}` : error;
  }
};
const nested = (levels: number): object =>
  levels === 0 ? { a: 1 } : { a: { $elemMatch: nested(levels - 1) } };

describe('conditions', () => {
  it.each([
    {},
    { a: 1 },
    { 'a.b.c': null },
    { a: { $eq: 'x', $ne: true } },
    { a: { $gt: 1, $lte: 'z' } },
    { a: { $in: ['x', 1, null], $nin: [] } },
    { a: { $all: [1], $size: 2, $exists: false } },
    { a: { $elemMatch: { b: { $gt: 1 } } } },
    { a: { $elemMatch: { $gt: 1, $lt: 5 } } },
    { a: '${user.id}', b: { $in: ['${session.id}', 'x-${run.sourceWorkspaceId}'] } },
    { $or: [{ a: 1 }, { b: { $in: [2] }, $nor: [{ c: '${user.id}' }] }], $and: [{ d: 1 }] },
    nested(4),
  ])('may be %j', conditions => {
    expect(refusalOf(conditions)).toBeUndefined();
  });

  it.each([
    ['text'],
    [null],
    [[{ a: 1 }]],
    [{ $where: 'sleep(1000)' }],
    [{ $expr: { $gt: ['$a', 1] } }],
    [{ a: { $where: 'true' } }],
    [{ a: { $function: {} } }],
    [{ a: { $regex: '(a+)+$' } }],
    [{ a: { $not: { $gt: 1 } } }],
    [{ a: { toString: 1 } }],
    [{ a: { __proto__: null, constructor: 1 } }],
    [{ a: { $in: 'x' } }],
    [{ a: { $in: [{ b: 1 }] } }],
    [{ a: { $in: Array.from({ length: 101 }, () => 1) } }],
    [{ a: { $gt: null } }],
    [{ a: { $size: -1 } }],
    [{ a: { $exists: 1 } }],
    [{ a: {} }],
    [{ $or: [] }],
    [{ $or: { a: 1 } }],
    [{ $or: [1] }],
    [{ $or: [{ $where: '1' }] }],
    [{ $not: [{ a: 1 }] }],
    [{ $or: [{ $or: [{ $or: [{ $or: [{ $or: [{ a: 1 }] }] }] }] }] }],
    [{ $or: Array.from({ length: 51 }, () => ({})) }],
    [{ a: { $elemMatch: { $or: [{ b: 1 }] } } }],
    [{ a: [1, 2] }],
    [{ a: { b: 1 } }],
    [{ 'a.': 1 }],
    [{ '': 1 }],
    [{ 'a b': 1 }],
    [{ 'constructor.name': 'Object' }],
    [JSON.parse('{"__proto__": 1}')],
    [{ a: 'x\0' }],
    [{ a: '\ud800' }],
    [{ a: 'x'.repeat(1001) }],
    [{ a: '${user.email}' }],
    [{ a: '${}' }],
    [{ a: { $in: ['${process.env}'] } }],
    [nested(5)],
    [Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`a${index}`, 1]))],
  ])('are refused as %j', conditions => {
    expect(refusalOf(conditions)).toMatch(/^InvalidArguments conditions/);
  });
});
