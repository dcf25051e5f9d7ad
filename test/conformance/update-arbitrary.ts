import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/base/kernel/json.js';
import { anyValue } from './arbitrary.js';

const number = fc.constantFrom(0, 1, -1, 2.5, 10, -0.1, 1e21);
const comparable = fc.oneof(number, anyValue, fc.constantFrom('', 'a', 'b', true, false));
const direction = fc.constantFrom(1, -1);
const items = fc.array(anyValue, { maxLength: 4 });

/**
 * A field for numbers, one for arrays, one for any value, and the same three within an object. Each may be
 * absent.
 */
const fields = { n: number, l: items, a: anyValue };
export const anyRecord = fc
  .record({ ...fields, o: fc.record(fields, { requiredKeys: [] }) }, { requiredKeys: [] })
  .map(document => document as JsonObject);
const PATHS = ['n', 'l', 'a', 'o.n', 'o.l', 'o.a', 'o', 'x', 'o.x.y', 'n.x', 'a.b', 'l.1', 'o.l.3.a'];

/** Possible operands of each operator. */
export const OPERANDS: Readonly<Record<string, fc.Arbitrary<JsonValue>>> = {
  $set: anyValue,
  $unset: fc.constant(''),
  $inc: number,
  $mul: number,
  $min: comparable,
  $max: comparable,
  $rename: fc.constantFrom('z', 'y.x', ...PATHS),
  $push: fc.oneof(
    anyValue,
    fc.record(
      {
        $each: fc.array(anyValue, { maxLength: 3 }),
        $position: fc.integer({ min: -4, max: 4 }),
        $slice: fc.integer({ min: -4, max: 4 }),
        $sort: fc.oneof(direction, fc.record({ a: direction })),
      },
      { requiredKeys: ['$each'] },
    ),
  ) as fc.Arbitrary<JsonValue>,
  $addToSet: fc.oneof(anyValue, fc.record({ $each: fc.array(anyValue, { maxLength: 3 }) })),
  $pull: anyValue.filter(value => typeof value !== 'object' || value === null),
  $pullAll: fc.array(anyValue, { maxLength: 3 }),
  $pop: direction,
};

/** One to three operations of one operator or of several. */
export function updates(operators: readonly string[]): fc.Arbitrary<JsonObject> {
  const operation = fc
    .constantFrom(...operators)
    .chain(operator =>
      fc.tuple(
        fc.constant(operator),
        fc.constantFrom(...PATHS),
        OPERANDS[operator] as fc.Arbitrary<JsonValue>,
      ),
    );
  return fc.array(operation, { minLength: 1, maxLength: 3 }).map(operations => {
    const update: Record<string, JsonObject> = {};
    for (const [operator, path, operand] of operations)
      update[operator] = { ...update[operator], [path]: operand };
    return update;
  });
}
