import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/kernel/json.js';

/** Stands for an absent value. It equals null but is not a value. */
const MISSING = Symbol('missing');
type Found = JsonValue | typeof MISSING;

/**
 * Matches one document as MongoDB does, written from MongoDB's manual as simply as possible, with this product's
 * decisions where the manual is silent (docs/filters.md). Slow and small: the reference for the compiled SQL.
 */
export function answers(filter: JsonObject, document: JsonObject): boolean {
  return Object.entries(filter).every(([name, operand]) => {
    const among = () => (operand as JsonObject[]).map(inner => answers(inner, document));
    if (name === '$and') return among().every(Boolean);
    if (name === '$or') return among().some(Boolean);
    if (name === '$nor') return !among().some(Boolean);
    return passes(operand, valuesOf(found(document, name.split('.'))));
  });
}

/**
 * The result of a path: the values themselves, and the values that operators compare with, which include the
 * elements of arrays.
 */
interface Values {
  readonly whole: Found[];
  readonly opened: Found[];
}

function valuesOf(generated: Generated[]): Values {
  const opened = generated.flatMap(({ value, atPosition }): Found[] =>
    Array.isArray(value) && !atPosition ? [value, ...value] : [value],
  );
  return { whole: generated.map(({ value }) => value), opened };
}

/** A value that a path generates. An array to which a position leads, not a name, is not opened. */
interface Generated {
  readonly value: Found;
  readonly atPosition?: true;
}

/** The values that MongoDB's server generates for a path (path.cpp and path_test.cpp in its source). */
function found(value: JsonValue, path: readonly string[]): Generated[] {
  const [part, ...rest] = path;
  if (part === undefined) return [{ value }];
  if (Array.isArray(value)) return value.flatMap((item, at) => foundInElement(item, at, path));
  if (!isJsonObject(value) || !Object.hasOwn(value, part)) return [{ value: MISSING }];
  return found(value[part]!, rest);
}

/** An object has fields, whatever their names. A number also leads to the element at its position. */
function foundInElement(item: JsonValue, at: number, [part, ...rest]: readonly string[]): Generated[] {
  const named = isJsonObject(item) ? found(item, [part!, ...rest]) : [];
  if (part !== String(at)) return named;
  if (rest.length === 0) return [...named, { value: item, atPosition: true }];
  return typeof item === 'object' && item !== null ? [...named, ...found(item, rest)] : named;
}

function passes(test: JsonValue, values: Values): boolean {
  const isOperators = isJsonObject(test) && Object.keys(test).some(name => name.startsWith('$'));
  if (!isOperators) return isEqual(test, values);
  return Object.entries(test).every(
    ([name, operand]) => name === '$options' || passesOperator(name, operand, values, test),
  );
}

function passesOperator(name: string, operand: JsonValue, values: Values, siblings: JsonObject): boolean {
  const operands = operand as JsonValue[];
  switch (name) {
    case '$eq':
      return isEqual(operand, values);
    case '$ne':
      return !isEqual(operand, values);
    case '$in':
      return operands.some(one => isEqual(one, values));
    case '$nin':
      return !operands.some(one => isEqual(one, values));
    case '$gt':
      return isOrdered(operand, values, order => order > 0);
    case '$gte':
      return isOrdered(operand, values, order => order >= 0);
    case '$lt':
      return isOrdered(operand, values, order => order < 0);
    case '$lte':
      return isOrdered(operand, values, order => order <= 0);
    case '$not':
      return !passes(operand, values);
    case '$exists':
      return values.whole.some(value => value !== MISSING) === isTrue(operand);
    case '$all':
      return operands.every(one => isEqual(one, values));
    case '$size':
      return values.whole.some(value => Array.isArray(value) && value.length === operand);
    case '$elemMatch':
      return values.whole.some(
        value => Array.isArray(value) && value.some(item => isElement(item, operand as JsonObject)),
      );
    case '$regex': {
      const pattern = new RegExp(operand as string, siblings.$options as string);
      return values.opened.some(value => typeof value === 'string' && pattern.test(value));
    }
    default:
      throw new Error(`the model does not know ${name}`);
  }
}

function isElement(item: JsonValue, condition: JsonObject): boolean {
  const ofValue = Object.keys(condition).some(name => name.startsWith('$'));
  // An array within the array is not searched.
  if (ofValue) return passes(condition, { whole: [item], opened: [item] });
  if (typeof item !== 'object' || item === null) return false;
  // An array counts as a document whose field names are its positions.
  return answers(condition, Object.fromEntries(Object.entries(item)));
}

/** Interprets a value as a flag, as MongoDB does. */
function isTrue(operand: JsonValue): boolean {
  return operand !== false && operand !== null && operand !== 0;
}

function isEqual(operand: JsonValue, values: Values): boolean {
  return values.opened.some(value => same(value === MISSING ? null : value, operand));
}

/** The order of an object's fields does not matter, because PostgreSQL does not preserve it. */
function same(one: JsonValue, other: JsonValue): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  const at = (value: object, name: string) => (value as JsonObject)[name]!;
  return (
    names.length === Object.keys(other).length &&
    names.every(name => Object.hasOwn(other, name) && same(at(one, name), at(other, name)))
  );
}

function isOrdered(operand: JsonValue, values: Values, holds: (order: number) => boolean): boolean {
  return values.opened.some(value => {
    if (value === MISSING || value === null || typeof value === 'object' || typeof value !== typeof operand)
      return false;
    return holds(
      typeof value === 'string' ? byCodePoint(value, operand as string) : Number(value) - Number(operand),
    );
  });
}

/** UTF-8 bytes sort by code point, while JavaScript sorts by UTF-16 unit. */
function byCodePoint(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
