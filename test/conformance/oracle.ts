import { Query } from 'mingo';
import siftModule from 'sift';
import type { JsonObject } from '../../src/base/kernel/json.js';

/** The types describe an ES module, but the loaded module is CommonJS and is the function itself. */
const sift = siftModule as unknown as (filter: JsonObject) => (document: JsonObject) => boolean;

/**
 * MongoDB's answer according to two independent implementations. Undefined if they differ (then the manual
 * decides: `model.ts`) and if both are known to differ from MongoDB.
 */
export function libraries(filter: JsonObject): (document: JsonObject) => boolean | undefined {
  if (isBeyond(filter)) return () => undefined;
  const query = new Query(filter);
  const test = sift(filter);
  return document => {
    if (hasNestedArray(document)) return undefined;
    const answer = query.test(document);
    return answer === test(document) ? answer : undefined;
  };
}

/**
 * Both implementations read `a.0` as a character of the string at `a`, sort strings by UTF-16 unit, and look for
 * fields in array elements that are not objects (`$elemMatch`).
 */
function isBeyond(filter: JsonObject): boolean {
  return /\.\d|𝄞|\uffee|"\$elemMatch":\{"[^$]/u.test(JSON.stringify(filter));
}

/** Both look for fields in arrays within arrays. MongoDB goes one level deep. */
function hasNestedArray(value: unknown, inArray = false): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const isArray = Array.isArray(value);
  return (isArray && inArray) || Object.values(value).some(inner => hasNestedArray(inner, isArray));
}
