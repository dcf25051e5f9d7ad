import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../base/kernel/errors.js';
import { parseFilter } from './parse.js';

const refusal = (filter: unknown) => {
  try {
    parseFilter(filter);
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'InvalidArguments') return error.message;
    throw error;
  }
  return undefined;
};

const TYPES = 'double, string, object, array, bool, date, null, int, long, number';

const nested = (levels: number): unknown => (levels === 0 ? { a: 1 } : { $and: [nested(levels - 1)] });

describe('a filter is refused', () => {
  it.each(['$where', '$function', '$expr', '$lookup', '$merge', '$accumulator', '$out', '$jsonSchema'])(
    'by name for %s, wherever it stands',
    name => {
      const message = `the operator ${name} is not allowed in filters`;
      expect(refusal({ [name]: 'x' })).toBe(message);
      expect(refusal({ a: { [name]: 'x' } })).toBe(message);
      expect(refusal({ $or: [{ a: { $not: { [name]: 1 } } }] })).toBe(message);
      expect(refusal({ a: { $elemMatch: { [name]: 1 } } })).toBe(message);
    },
  );

  it.each([
    [{ $foo: 1 }, /^unknown operator \$foo; the operators are \$and .* \$gt /],
    [{ a: { $foo: 1 } }, /^unknown operator \$foo; the operators are \$and .* \$gt /],
    [{ a: { $toString: 1 } }, /^unknown operator \$toString; /],
    [{ a: { $gtt: 1 } }, /^unknown operator \$gtt \(did you mean \$gte?\?\); /],
    [{ [`$${'x'.repeat(9_999)}`]: 1 }, /^unknown operator \$x{59}; /],
  ])('%j, with a list of the valid ones', (filter, message) => {
    expect(refusal(filter)).toMatch(message);
    expect(refusal(filter)?.length).toBeLessThan(500);
  });

  it.each([
    [{ $gt: 1 }, 'the operator $gt is out of place: it cannot be used in place of a field'],
    [{ a: { $and: [] } }, 'the operator $and is out of place: it cannot be used for a field'],
    [
      { a: { $elemMatch: { $or: [{ $search: 'x' }] } } },
      'the operator $search is out of place: it cannot be used in place of a field',
    ],
    [{ a: { $options: 'i' } }, '$options needs $regex in the same object'],
    [[], 'filter must be an object such as {"status": "open"}'],
    ['{}', 'filter must be an object such as {"status": "open"}'],
    [null, 'filter must be an object such as {"status": "open"}'],
    [{ $and: {} }, '$and needs an array'],
    [{ $or: [] }, '$or needs at least one filter'],
    [{ $nor: [1] }, '$nor must be an object such as {"status": "open"}'],
    [{ a: { $not: 5 } }, '$not needs an object of operators, such as {"$not": {"$gt": 5}}'],
    [{ a: { $not: {} } }, '$not needs at least one operator'],
    [{ a: { $in: 1 } }, '$in needs an array'],
    [{ a: { $gt: [1] } }, '$gt needs a number, a string, a boolean or null'],
    [{ a: { $type: 'text' } }, `$type: "text" is not a type; expects one of ${TYPES}`],
    [{ a: { $type: '2' } }, `$type: "2" is not a type; expects one of ${TYPES}`],
    [{ a: { $type: 'constructor' } }, `$type: "constructor" is not a type; expects one of ${TYPES}`],
    [{ a: { $type: [] } }, '$type needs at least one type'],
    [{ a: { $mod: [0, 1] } }, '$mod: the divisor must not be 0'],
    [{ a: { $mod: [0.5, 1] } }, '$mod: the divisor must not be 0'],
    [{ a: { $mod: [2] } }, '$mod needs [divisor, remainder]'],
    [{ a: { $size: 1.5 } }, '$size needs an integer from 0'],
    [{ a: { $all: 1 } }, '$all needs an array'],
    [{ a: { $elemMatch: [] } }, '$elemMatch needs an object'],
    [{ a: { $bitsAllSet: -1 } }, '$bitsAllSet needs a mask (an integer from 0) or an array of bit positions'],
    [
      { a: { $bitsAnySet: [0.5] } },
      '$bitsAnySet needs a mask (an integer from 0) or an array of bit positions',
    ],
    [{ a: { $regex: 1 } }, '$regex needs a string'],
    [{ a: { $regex: 'x', $options: 'g' } }, '$options takes the letters i, m, s and x'],
    [{ $search: 1 }, '$search needs a string'],
  ])('%j', (filter, message) => {
    expect(refusal(filter)).toBe(message);
  });

  it('when operators and fields are mixed', () => {
    expect(refusal({ a: { $gt: 1, b: 2 } })).toMatch(/"b" is a field among operators/);
  });

  it('beyond its limits, but not at them', () => {
    expect(refusal(nested(20))).toBeUndefined();
    expect(refusal(nested(21))).toBe('a filter has at most 20 levels');
    expect(refusal(JSON.parse(`${'{"$and":['.repeat(3_000)}{}${']}'.repeat(3_000)}`))).toBe(
      'a filter has at most 20 levels',
    );
    const conditions = (count: number) => ({ $or: Array.from({ length: count }, (_, a) => ({ a })) });
    expect(refusal(conditions(500))).toBeUndefined();
    expect(refusal(conditions(501))).toBe('a filter has at most 500 conditions');
    expect(refusal({ a: { $all: Array.from({ length: 500 }, (_, n) => n) } })).toBe(
      'a filter has at most 500 conditions',
    );
    expect(refusal({ $or: new Array(501).fill({}) })).toBe('a filter has at most 500 conditions');
    const values = (count: number) => ({ a: { $nin: new Array(count).fill(1) } });
    expect(refusal(values(10_000))).toBeUndefined();
    expect(refusal(values(10_001))).toBe('$nin takes at most 10000 values');
    expect(refusal({ a: { $regex: 'x'.repeat(1_000) } })).toBeUndefined();
    expect(refusal({ a: { $regex: 'x'.repeat(1_001) } })).toBe('$regex takes at most 1000 characters');
    expect(refusal({ 'a.0.1.2.3': 1 })).toBeUndefined();
    expect(refusal({ 'a.0.1.2.3.4': 1 })).toMatch(/at most 4 numeric parts/);
  });

  const letters = (count: number) => new Array(count).fill('p').join('.');

  it.each([
    [
      'separate conditions',
      (path: string) => ({ $or: Array.from({ length: 250 }, () => ({ [path]: null })) }),
    ],
    ['values of $all', (path: string) => ({ [path]: { $all: new Array(250).fill(null) } })],
    [
      'conditions below $elemMatch',
      (path: string) => ({
        l: { $elemMatch: { $or: Array.from({ length: 250 }, () => ({ [path]: null })) } },
      }),
    ],
  ])('when the ways to read its long paths with numeric parts are too many, in %s', (_where, filterOn) => {
    expect(refusal(filterOn(`x.0.1.2.3.${letters(95)}`))).toMatch(
      /^a filter has at most 100000 parts in paths with numeric parts: .*; use fewer conditions or shorter paths$/,
    );
    expect(refusal(filterOn('matrix.0.1.2.3.value'))).toBeUndefined();
  });

  it('when names in paths with numeric parts are too long together', () => {
    const path = `x.0.1.2.3.${new Array(7).fill('n'.repeat(255)).join('.')}`;
    const on = (count: number) => ({ $or: Array.from({ length: count }, () => ({ [path]: 1 })) });
    expect(refusal(on(60))).toBeUndefined();
    expect(refusal(on(250))).toMatch(/at most 100000 parts/);
  });

  it('but not for 500 conditions on ordinary positions, or on the longest paths without numeric parts', () => {
    const on = (path: string) => ({ $or: Array.from({ length: 500 }, () => ({ [path]: null })) });
    expect(refusal(on('a.0.1.2.3.b'))).toBeUndefined();
    expect(refusal(on('orders.0.items.12.price'))).toBeUndefined();
    expect(refusal(on(new Array(100).fill('n'.repeat(19)).join('.')))).toBeUndefined();
  });
});

it('refuses hundreds of patterns of unclosed brackets in linear time', () => {
  const pattern = '['.repeat(1_000);
  expect(() => parseFilter({ $or: Array.from({ length: 490 }, () => ({ a: { $regex: pattern } })) })).toThrow(
    '$regex: a [ has no ]',
  );
});

it('is a frozen tree, equal for equal filters', () => {
  const tree = parseFilter({ a: { $gt: 1, $lt: 5 }, b: null });
  expect(tree).toEqual(parseFilter({ a: { $gt: 1, $lt: 5 }, b: null }));
  expect(Object.isFrozen(tree)).toBe(true);
  expect(tree.kind === 'and' && tree.filters.every(Object.isFrozen)).toBe(true);
});
