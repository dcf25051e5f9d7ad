import { randomInt } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/kernel/json.js';

/** MongoDB's order of the types of JSON; an absent value counts as null. */
const RANKS = { null: 0, number: 1, string: 2, object: 3, array: 4, boolean: 5 } as const;

/** The JSON name of a value's type, for messages. */
export function typeOf(value: JsonValue): keyof typeof RANKS {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : (typeof value as 'number' | 'string' | 'boolean' | 'object');
}

/**
 * Compares two values as MongoDB does ("Comparison/Sort Order"): by type, then by value; text by code point. The fields
 * of objects are compared in the order of their names, because PostgreSQL does not keep another order.
 */
export function compareValues(one: JsonValue, other: JsonValue, fieldsOf = entriesOf): number {
  if (one === other) return 0;
  const types = RANKS[typeOf(one)] - RANKS[typeOf(other)];
  if (types !== 0) return types;
  if (typeof one === 'string') return compareTexts(one, other as string);
  if (typeof one !== 'object' || one === null) return Number(one) - Number(other);
  const compare = (some: JsonValue, others: JsonValue) => compareValues(some, others, fieldsOf);
  if (Array.isArray(one)) return compareLists(one, other as JsonValue[], compare);
  const [fields, otherFields] = [fieldsOf(one), fieldsOf(other as JsonObject)];
  return compareLists(fields, otherFields, (some, others) => compareEntries(some, others, compare));
}

/** Compares as `compareValues`. Orders the fields of each object once, which is most of the time of a sort. */
export function comparison(): (one: JsonValue, other: JsonValue) => number {
  const known = new Map<JsonObject, Entry[]>();
  const fieldsOf = (value: JsonObject) => {
    let fields = known.get(value);
    if (fields === undefined) {
      fields = entriesOf(value);
      known.set(value, fields);
    }
    return fields;
  };
  return (one, other) => compareValues(one, other, fieldsOf);
}

/** True for equal values; the order of fields does not matter. Parts that both values share are not compared. */
export function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one))
    return (
      Array.isArray(other) && one.length === other.length && one.every((each, at) => isSame(each, other[at]))
    );
  if (Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(name => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  );
}

/** Different in each process, so that clients cannot send many values with the same hash. */
const SEED = randomInt(2 ** 31);

/** A hash. Equal values have equal hashes; the order of fields does not matter. */
function hashOf(value: JsonValue): number {
  if (typeof value === 'string') return hashOfText(value, 7);
  if (typeof value === 'number')
    return Number.isSafeInteger(value)
      ? mixed(mixed(SEED, value | 0), value / 2 ** 32)
      : hashOfText(String(value), 11);
  if (typeof value === 'boolean' || value === null) return mixed(13, value === null ? 2 : Number(value));
  let hash = SEED;
  if (Array.isArray(value)) for (const each of value) hash = mixed(hash, hashOf(each));
  else
    for (const name of Object.keys(value))
      hash += mixed(hashOfText(name, 3), hashOf(value[name] as JsonValue));
  return hash | 0;
}

function hashOfText(text: string, start: number): number {
  let hash = SEED ^ start;
  for (let index = 0; index < text.length; index++) hash = mixed(hash, text.charCodeAt(index));
  return hash;
}

function mixed(hash: number, more: number): number {
  const product = Math.imul(hash ^ more, 0x5bd1e995);
  return product ^ (product >>> 15);
}

/** A set of values by equality. A lookup walks once over the value, or not at all when the set cannot contain it. */
export class ValueSet {
  // biome-ignore lint/plugin/bounded-maps: values of one update
  private readonly scalars = new Set<JsonValue>();
  // biome-ignore lint/plugin/bounded-maps: values of one update
  private readonly others = new Map<number, JsonValue[]>();

  constructor(values: readonly JsonValue[]) {
    for (const value of values) this.add(value);
  }

  has(value: JsonValue): boolean {
    if (typeof value !== 'object' || value === null) return this.scalars.has(value);
    if (this.others.size === 0) return false;
    return this.others.get(hashOf(value))?.some(each => isSame(each, value)) === true;
  }

  /** Adds a value; false when the set already contains an equal one. */
  add(value: JsonValue): boolean {
    if (this.has(value)) return false;
    if (typeof value !== 'object' || value === null) {
      this.scalars.add(value);
      return true;
    }
    const hash = hashOf(value);
    const alike = this.others.get(hash);
    if (alike === undefined) this.others.set(hash, [value]);
    else alike.push(value);
    return true;
  }
}

/**
 * Compares by code point. JavaScript compares UTF-16 units, in which surrogates (characters beyond U+FFFF) sort before
 * U+E000.
 */
function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) {
    const unit = one.charCodeAt(index);
    const otherUnit = other.charCodeAt(index);
    if (unit !== otherUnit) return rankOf(unit) - rankOf(otherUnit);
  }
  return one.length - other.length;
}

function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

type Entry = [name: string, value: JsonValue];

function entriesOf(value: JsonObject): Entry[] {
  return Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
}

function compareEntries(
  [name, value]: Entry,
  [otherName, otherValue]: Entry,
  compare: (one: JsonValue, other: JsonValue) => number,
): number {
  const types = RANKS[typeOf(value)] - RANKS[typeOf(otherValue)];
  if (types !== 0) return types;
  if (name !== otherName) return name < otherName ? -1 : 1;
  return compare(value, otherValue);
}

function compareLists<T>(
  some: readonly T[],
  others: readonly T[],
  compare: (one: T, other: T) => number,
): number {
  for (let index = 0; index < Math.min(some.length, others.length); index++) {
    const order = compare(some[index] as T, others[index] as T);
    if (order !== 0) return order;
  }
  return some.length - others.length;
}

/** A text that is equal for two values exactly when they are equal; the order of fields does not matter. */
export function canonical(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return JSON.stringify(value, (_, inner) =>
    isJsonObject(inner) ? Object.fromEntries(entriesOf(inner)) : inner,
  );
}
