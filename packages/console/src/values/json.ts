export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for an object that the service reads as operators, such as `{$gt: 5}`, and not as a value. */
export function isOperators(value: unknown): value is JsonObject {
  return isObject(value) && Object.keys(value).some(key => key.startsWith('$'));
}

/** Equality of JSON values. The order of the members of an object does not matter, as in the filter language. */
export function equalJson(one: unknown, other: unknown): boolean {
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => equalJson(item, other[index]))
    );
  }
  if (!isObject(one) || !isObject(other)) return one === other;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(name => Object.hasOwn(other, name) && equalJson(one[name], other[name]))
  );
}
