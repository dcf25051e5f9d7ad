import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/base/kernel/json.js';
import { COLUMN_TYPES } from '../../src/engine/columns/index.js';
import { anyFilter, anyValue } from './arbitrary.js';
import type { TypedColumns } from './placements.js';

const number = fc.constantFrom(0, 1, 2, 5, -1, 1.5, 1e21);
const text = fc.constantFrom('', 'a', 'b', 'ab', 'B', 'é', 'a\nb', '𝄞', '\uffee');
const comparable = fc.oneof(number, text, fc.boolean());
const condition = fc.oneof(
  fc.record({ $eq: anyValue }),
  fc.record({ $gt: comparable }),
  fc.record({ $lte: comparable }),
  fc.record({ $in: fc.array(anyValue, { maxLength: 3 }) }),
  fc.record({ $size: fc.nat(2) }),
);

/** Possible operands for each operator that both libraries and the model know. */
const TESTS: Readonly<Record<string, fc.Arbitrary<JsonValue>>> = {
  '{field: value}': anyValue,
  $eq: fc.record({ $eq: anyValue }),
  $ne: fc.record({ $ne: anyValue }),
  $gt: fc.record({ $gt: comparable }),
  $gte: fc.record({ $gte: comparable }),
  $lt: fc.record({ $lt: comparable }),
  $lte: fc.record({ $lte: comparable }),
  $in: fc.record({ $in: fc.array(anyValue, { maxLength: 4 }) }),
  $nin: fc.record({ $nin: fc.array(anyValue, { maxLength: 4 }) }),
  $not: fc.record({ $not: condition }),
  $exists: fc.record({ $exists: fc.boolean() }),
  $regex: fc.record({
    $regex: fc.constantFrom('a', '^b', 'b$', 'a.b', '[aB]', '^$', 'É', '\\bb', '(a|é)', '^[^a]+$'),
    $options: fc.constantFrom('', 'i', 's', 'm', 'ims'),
  }),
  $all: fc.record({ $all: fc.array(anyValue, { minLength: 1, maxLength: 2 }) }),
  $elemMatch: fc.record({
    $elemMatch: fc.oneof(
      condition,
      fc.record({ a: fc.oneof(condition, comparable) }),
      fc.record({ b: condition }),
    ),
  }),
  $size: fc.record({ $size: fc.nat(3) }),
};

/** Random filters for each operator at some of the paths. The last filters combine all operators. */
export function filtersByOperator(
  paths: readonly string[],
): ReadonlyMap<string, readonly fc.Arbitrary<JsonObject>[]> {
  const path = fc.constantFrom(...paths);
  const field = fc.tuple(path, fc.oneof(condition, anyValue)).map(([name, test]) => ({ [name]: test }));
  const several = fc.array(field, { minLength: 1, maxLength: 3 });
  const single = Object.entries(TESTS).map(([name, test]): [string, fc.Arbitrary<JsonObject>[]] => [
    name,
    [fc.tuple(path, test).map(([at, operand]) => ({ [at]: operand }))],
  ]);
  return new Map([
    ...single,
    ['$and', [fc.record({ $and: several })]],
    ['$or', [fc.record({ $or: several })]],
    ['$nor', [fc.record({ $nor: several })]],
    ['combined', Array(8).fill(anyFilter(path))],
  ]);
}

export const FLEXIBLE_PATHS = [
  ...['a', 'b', 'c', 'a.b', 'b.a', 'a.b.c'],
  ...['a.0', 'a.1', 'b.0.a', 'c.0.0', 'a.b.0'],
];

export const COLUMNS: TypedColumns = {
  a: COLUMN_TYPES.json,
  b: COLUMN_TYPES.array,
  i: COLUMN_TYPES.integer,
  d: COLUMN_TYPES.double,
  s: COLUMN_TYPES.text,
  t: COLUMN_TYPES.boolean,
};
export const TYPED_PATHS = ['i', 'd', 's', 't', 'a', 'b', 'b.0', 'a.0', 'a.b', 'i.x'];

const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 5, nil: null });

/** Every column is present, because a typed column that was never written reads as null. */
export const typedDocument = fc.record({
  a: orNull(anyValue),
  b: orNull(fc.array(fc.constantFrom('a', 'b', 'ab', ''), { maxLength: 3 })),
  i: orNull(fc.constantFrom(0, 1, 2, 5, -1)),
  d: orNull(fc.constantFrom(0, 1, 1.5, 5, 1e21)),
  s: orNull(text),
  t: orNull(fc.boolean()),
}) as fc.Arbitrary<JsonObject>;
