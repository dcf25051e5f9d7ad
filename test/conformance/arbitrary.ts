import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/base/kernel/json.js';

/** Longer than what an index on a path keeps of a text. */
const LONG = 'é'.repeat(100);

/**
 * Few values, so that operands often equal values in documents. The unusual ones test order, character classes and
 * length.
 */
const scalar: fc.Arbitrary<JsonValue> = fc.constantFrom<JsonValue[]>(
  ...[null, true, false, 0, 1, 2, 5, -1, 1.5, 1e21, '', 'a', 'b', 'ab', 'B', 'é', '1', 'a\nb', '𝄞', '\uffee'],
  LONG,
  `${LONG}é`,
);
const fieldName = fc.constantFrom('a', 'b', 'c');

const nested = fc.letrec<{ value: JsonValue; object: JsonValue }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { arbitrary: scalar, weight: 4 },
    { arbitrary: fc.array(tie('value'), { maxLength: 3 }), weight: 2 },
    { arbitrary: tie('object'), weight: 2 },
  ),
  object: fc.dictionary(fieldName, tie('value'), { maxKeys: 3, noNullPrototype: true }),
}));

export const anyValue = nested.value;
export const anyDocument = nested.object as fc.Arbitrary<JsonObject>;

export const PATHS = ['a', 'b', 'c', 'a.b', 'b.a', 'a.0', 'a.1', 'b.0.a', 'a.b.c', 'c.0.0', 'a.b.0'];
const anyPath = fc.constantFrom(...PATHS);
const comparable = scalar.filter(value => value !== null);

const operator: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ $eq: anyValue }),
  fc.record({ $ne: anyValue }),
  fc.record({ $gt: comparable }),
  fc.record({ $gte: comparable }),
  fc.record({ $lt: comparable }),
  fc.record({ $lte: comparable }),
  fc.record({ $gte: scalar.filter(value => typeof value === 'number'), $lt: fc.constantFrom(2, 5) }),
  fc.record({ $in: fc.array(anyValue, { maxLength: 4 }) }),
  fc.record({ $nin: fc.array(anyValue, { maxLength: 4 }) }),
  fc.record({ $exists: fc.boolean() }),
  fc.record({ $size: fc.nat(3) }),
  fc.record({ $all: fc.array(anyValue, { minLength: 1, maxLength: 2 }) }),
  fc.record({
    $regex: fc.constantFrom('a', '^b', 'b$', 'a.b', '[aB]', '^$', 'É', '\\bb', '(a|é)', '^[^a]+$'),
    $options: fc.constantFrom('', 'i', 's', 'm', 'ims'),
  }),
);

const fieldTest = (filter: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonValue> =>
  fc.oneof(
    { arbitrary: operator, weight: 8 },
    { arbitrary: anyValue, weight: 3 },
    { arbitrary: fc.record({ $not: operator }), weight: 1 },
    { arbitrary: fc.record({ $elemMatch: fc.oneof(filter, operator) }), weight: 1 },
  );

/** Filters over the paths, nested a few levels deep. */
export function anyFilter(path: fc.Arbitrary<string> = anyPath): fc.Arbitrary<JsonObject> {
  return fc.letrec<{ filter: JsonObject }>(tie => {
    const field = fc
      .tuple(path, fieldTest(anyFieldFilter))
      .map(([name, test]): JsonObject => ({ [name]: test }));
    const filters = fc.array(tie('filter'), { minLength: 1, maxLength: 3 });
    return {
      filter: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        { arbitrary: field, weight: 6 },
        { arbitrary: filters.map((inner): JsonObject => ({ $and: inner })), weight: 1 },
        { arbitrary: filters.map((inner): JsonObject => ({ $or: inner })), weight: 1 },
        { arbitrary: filters.map((inner): JsonObject => ({ $nor: inner })), weight: 1 },
      ),
    };
  }).filter;
}

const anyFieldFilter: fc.Arbitrary<JsonObject> = fc
  .dictionary(fieldName, fc.oneof(operator, scalar), { minKeys: 1, maxKeys: 2, noNullPrototype: true })
  .map(filter => ({ ...filter }));
