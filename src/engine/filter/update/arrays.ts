import { invalid } from '../../../base/kernel/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/kernel/json.js';
import { type FieldPath, parseFieldPath } from '../field-path.js';
import { type Conditions, parseFilter } from '../parse.js';
import { MAX_SORT_FIELDS } from '../sort.js';
import { findMember, valueAt } from './member.js';
import {
  type Changes,
  named,
  type Operation,
  type OperationParser,
  type PushOperation,
  type PushSort,
  refused,
  storedValue,
} from './tree.js';
import { comparison, typeOf, ValueSet } from './values.js';

/** MongoDB's manual, "Array Update Operators", except the positional ones. */
export const arrayParsers = {
  $push: parsePush,
  $addToSet(path, operand) {
    if (!isJsonObject(operand) || !Object.hasOwn(operand, '$each'))
      return { kind: 'addToSet', path, values: [storedValue(operand, path)] };
    refuseStrangers('$addToSet', path, operand, ['$each']);
    return { kind: 'addToSet', path, values: valuesOf('$addToSet with $each', path, operand.$each) };
  },
  $pull: parsePull,
  $pullAll: (path, operand) => ({ kind: 'pullAll', path, values: valuesOf('$pullAll', path, operand) }),
  $pop(path, operand) {
    if (operand !== 1 && operand !== -1)
      throw refused('$pop', path, '1 (the last element) or -1 (the first)');
    return { kind: 'pop', path, end: operand === 1 ? 'last' : 'first' };
  },
} as const satisfies Record<string, OperationParser>;

/** Maximum of elements that `$push` sorts, times the fields to sort by, because sorting blocks other requests. */
const MAX_SORTED = 50_000;

const MODIFIERS = ['$each', '$position', '$sort', '$slice'];

function parsePush(path: FieldPath, operand: unknown): PushOperation {
  if (!isJsonObject(operand) || !Object.hasOwn(operand, '$each')) {
    const values = [storedValue(operand, path)];
    return { kind: 'push', path, values, position: undefined, sort: undefined, slice: undefined };
  }
  refuseStrangers('$push', path, operand, MODIFIERS);
  return {
    kind: 'push',
    path,
    values: valuesOf('$push with $each', path, operand.$each),
    position: wholeNumber('$position', path, operand.$position),
    sort: operand.$sort === undefined ? undefined : parsePushSort(path, operand.$sort),
    slice: wholeNumber('$slice', path, operand.$slice),
  };
}

function parsePushSort(path: FieldPath, sort: JsonValue): PushSort {
  const needs = '1, -1, or an object of fields and such directions';
  const directed = (direction: unknown): 1 | -1 => {
    if (direction !== 1 && direction !== -1) throw refused('$sort', path, needs);
    return direction;
  };
  if (!isJsonObject(sort)) return [{ path: [], direction: directed(sort) }];
  const fields = Object.entries(sort);
  if (fields.length === 0) throw refused('$sort', path, needs);
  if (fields.length > MAX_SORT_FIELDS) throw refused('$sort', path, `at most ${MAX_SORT_FIELDS} fields`);
  return fields.map(([name, direction]) => ({ path: parseFieldPath(name), direction: directed(direction) }));
}

/**
 * `$pull`: a scalar or an array removes equal elements. An object is a filter on elements that are documents, or
 * operators on the element itself.
 */
function parsePull(path: FieldPath, operand: unknown, conditions: Conditions): Operation {
  if (!isJsonObject(operand)) return { kind: 'pullAll', path, values: [storedValue(operand, path)] };
  const [first] = Object.keys(operand);
  const wrapped = first?.startsWith('$') === true && !['$and', '$or', '$nor'].includes(first);
  return { kind: 'pull', path, wrapped, filter: parseFilter(wrapped ? { v: operand } : operand, conditions) };
}

function valuesOf(operator: string, path: FieldPath, values: unknown): readonly JsonValue[] {
  if (!Array.isArray(values)) throw refused(operator, path, 'an array');
  return storedValue(values, path) as JsonValue[];
}

/** Drivers send the largest integer of 64 bits for "no limit"; as a double it is 2^63. */
const MAX_INT64 = 2 ** 63;

function wholeNumber(modifier: string, path: FieldPath, number: unknown): number | undefined {
  if (number === undefined) return undefined;
  if (!Number.isInteger(number) || Math.abs(number as number) > MAX_INT64)
    throw refused(modifier, path, 'an integer of at most 64 bits');
  return number as number;
}

function refuseStrangers(
  operator: string,
  path: FieldPath,
  operand: JsonObject,
  known: readonly string[],
): void {
  const stranger = Object.keys(operand).find(name => !known.includes(name));
  if (stranger !== undefined)
    throw invalid(
      `${named(path)}: ${JSON.stringify(stranger.slice(0, 60))} is not a modifier of ${operator}`,
    );
}

export const arrayChanges: Pick<Changes, 'push' | 'addToSet' | 'pull' | 'pullAll' | 'pop'> = {
  push: { creates: true, next: (current, operation) => pushed(itemsOf(operation, current), operation) },
  addToSet: {
    creates: true,
    next(current, operation) {
      const items = itemsOf(operation, current);
      const wanted = new ValueSet(operation.values);
      const known = new ValueSet(items.filter(item => wanted.has(item)));
      const fresh = operation.values.filter(value => known.add(value));
      return fresh.length === 0 && Array.isArray(current) ? current : items.concat(fresh);
    },
  },
  pull: {
    creates: false,
    next(current, operation, { pulled }) {
      const positions = pulled(operation);
      return itemsOf(operation, current).filter((_, index) => !positions.has(index));
    },
  },
  pullAll: {
    creates: false,
    next(current, operation) {
      const unwanted = new ValueSet(operation.values);
      return itemsOf(operation, current).filter(item => !unwanted.has(item));
    },
  },
  pop: {
    creates: false,
    next(current, operation) {
      const items = itemsOf(operation, current);
      return operation.end === 'last' ? items.slice(0, -1) : items.slice(1);
    },
  },
};

/** An absent field counts as an empty array. */
function itemsOf({ kind, path }: Operation, current: JsonValue | undefined): readonly JsonValue[] {
  if (Array.isArray(current) || current === undefined) return current ?? [];
  throw invalid(`${named(path)}: $${kind} needs an array, the field is of the type ${typeOf(current)}`);
}

/** Applies position, sort and slice, in this order (manual, `$push`). */
function pushed(
  items: readonly JsonValue[],
  { path, values, position, sort, slice }: PushOperation,
): JsonValue[] {
  const at =
    position === undefined ? items.length : position < 0 ? Math.max(0, items.length + position) : position;
  const all = items.slice(0, at).concat(values, items.slice(at));
  if (sort !== undefined) {
    if (all.length * sort.length > MAX_SORTED)
      throw invalid(
        `${named(path)}: $sort compares at most ${MAX_SORTED} values, not ${all.length} elements by ${sort.length} of their fields`,
      );
    sortBy(sort, all);
  }
  if (slice === undefined) return all;
  return slice < 0 ? all.slice(slice) : all.slice(0, slice);
}

/** Sorts in place. The values to compare are looked up once for each item. */
function sortBy(sort: PushSort, items: JsonValue[]): void {
  const compare = comparison();
  const keyed = items.map(item => ({ item, keys: sort.map(({ path }) => fieldOf(item, path)) }));
  keyed.sort((one, other) => {
    for (let at = 0; at < sort.length; at++) {
      const order = compare(one.keys[at] as JsonValue, other.keys[at] as JsonValue);
      if (order !== 0) return order * (sort[at] as PushSort[number]).direction;
    }
    return 0;
  });
  keyed.forEach(({ item }, at) => {
    items[at] = item;
  });
}

function fieldOf(item: JsonValue, path: FieldPath): JsonValue {
  if (path.length === 0) return item;
  const member = isJsonObject(item) ? findMember(item, path) : undefined;
  return (member && valueAt(member)) ?? null;
}
