import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.js';

/** MongoDB's order of types, as far as JSON has them; what is absent counts as null. */
const RANKS = { null: 0, number: 1, string: 2, object: 3, array: 4, boolean: 5 } as const;

/** What JSON calls the value's type, for messages. */
export function typeOf(value: JsonValue): keyof typeof RANKS {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : (typeof value as 'number' | 'string' | 'boolean' | 'object');
}

/**
 * Orders two values as MongoDB does ("Comparison/Sort Order"): by type, then by value; text by code point. The fields
 * of objects are compared in the order of their names, since PostgreSQL keeps no other.
 */
export function compareValues(one: JsonValue, other: JsonValue): number {
  if (one === other) return 0;
  const types = RANKS[typeOf(one)] - RANKS[typeOf(other)];
  if (types !== 0) return types;
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(other as string));
  if (Array.isArray(one)) return compareLists(one, other as JsonValue[], compareValues);
  if (isJsonObject(one)) return compareLists(entriesOf(one), entriesOf(other as JsonObject), compareEntries);
  return Number(one) - Number(other);
}

/** True for equal values, whatever the order of the fields of objects. */
export function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return compareValues(one, other) === 0;
}

/** A text that two values share exactly when they are equal. */
export function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_, inner) =>
    isJsonObject(inner) ? Object.fromEntries(entriesOf(inner)) : inner,
  );
}

type Entry = [name: string, value: JsonValue];

function entriesOf(value: JsonObject): Entry[] {
  return Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
}

function compareEntries([name, value]: Entry, [otherName, otherValue]: Entry): number {
  const types = RANKS[typeOf(value)] - RANKS[typeOf(otherValue)];
  if (types !== 0) return types;
  if (name !== otherName) return name < otherName ? -1 : 1;
  return compareValues(value, otherValue);
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
