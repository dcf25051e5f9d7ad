import type { JsonObject, JsonValue } from '../../../base/kernel/json.js';
import type { Filter, Sort } from '../../filter/index.js';
import { type CollectionShape, declaredColumn } from '../collection-shape.js';
import type { AskedRead } from '../explain/advice.js';

/** A filter and a sort as a request has them, with the names of types in place of all values. */
export interface QuerySample {
  readonly filter: JsonObject | null;
  readonly sort: JsonObject | null;
}

type Test = Extract<Filter, { kind: 'field' }>['test'];

/** What a read asks for, without its values. */
export function querySample(shape: CollectionShape, { filter, sort }: AskedRead): QuerySample {
  return {
    filter: filter === undefined ? null : filterSample(filter, shape),
    sort: sort === undefined ? null : sortSample(sort),
  };
}

/** The sort as it was sent: without `_id` at its end, which every sort has. Null when the records are in no particular order. */
function sortSample(sort: Sort): JsonObject | null {
  const sent = sort.slice(0, -1).map(({ path, direction }) => [path.join('.'), direction]);
  return sent.length === 0 ? null : Object.fromEntries(sent);
}

function filterSample(filter: Filter, shape: CollectionShape | undefined): JsonObject {
  const each = (filters: readonly Filter[]) => filters.map(inner => filterSample(inner, shape));
  switch (filter.kind) {
    case 'and':
      return together(each(filter.filters));
    case 'or':
      return { $or: each(filter.filters) };
    case 'nor':
      return { $nor: each(filter.filters) };
    case 'searchAll':
      return { $search: 'text' };
    case 'field': {
      const { path, test } = filter;
      const column =
        shape && path.length === 1 ? declaredColumn(shape.columns, path[0] as string) : undefined;
      return { [path.join('.')]: short(testSample(test, column?.type)) };
    }
  }
}

/** One object where no name occurs twice, else the list of all. */
function together(parts: readonly JsonObject[]): JsonObject {
  const names = parts.flatMap(part => Object.keys(part));
  return new Set(names).size === names.length ? merged(parts) : { $and: [...parts] };
}

function merged(parts: readonly JsonObject[]): JsonObject {
  return Object.fromEntries(parts.flatMap(part => Object.entries(part)));
}

/** `{year: 1}` instead of `{year: {$eq: 1}}`. */
function short(test: JsonObject): JsonValue {
  const [name, ...others] = Object.keys(test);
  return name === '$eq' && others.length === 0 ? (test.$eq as JsonValue) : test;
}

/** The operators of a test. `type` is that of the column; undefined for a value at a path, whose own type is shown. */
function testSample(test: Test, type: string | undefined): JsonObject {
  const typeOf = (value: JsonValue) => type ?? jsonType(value);
  switch (test.kind) {
    case 'eq':
      return { $eq: typeOf(test.value) };
    case 'order':
      return { [`$${test.comparison}`]: typeOf(test.value) };
    case 'in':
      return { $in: [...new Set(test.values.map(typeOf))] };
    case 'not':
      return negated(testSample(test.test, type));
    case 'every':
      return merged(test.tests.map(inner => testSample(inner, type)));
    case 'exists':
      return { $exists: true };
    case 'type':
      return { $type: [...test.types] };
    case 'regex':
      return { $regex: 'text' };
    case 'search':
      return { $search: 'text' };
    case 'mod':
      return { $mod: ['integer', 'integer'] };
    case 'size':
      return { $size: 'integer' };
    case 'bits':
      return { [`$bits${test.state[0]?.toUpperCase()}${test.state.slice(1)}`]: 'integer' };
    case 'elementIs':
      return { $elemMatch: testSample(test.test, undefined) };
    case 'elementHas':
      return { $elemMatch: filterSample(test.filter, undefined) };
  }
}

function negated(test: JsonObject): JsonObject {
  if (test.$exists === true) return { $exists: false };
  if (test.$eq !== undefined) return { $ne: test.$eq };
  if (test.$in !== undefined) return { $nin: test.$in };
  return { $not: test };
}

/** The type that a column for a value would have. */
function jsonType(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'double';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'string' ? 'text' : 'json';
}
