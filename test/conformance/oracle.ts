import { Query } from 'mingo';
import siftModule from 'sift';
import type { JsonObject } from '../../src/kernel/json.js';

/** Its types describe an ES module; what is loaded is CommonJS, and the function itself. */
const sift = siftModule as unknown as (filter: JsonObject) => (document: JsonObject) => boolean;

/**
 * What MongoDB answers, as far as two independent implementations know it: undefined where they differ (there the manual
 * decides: `model.ts`) and where both are known to differ from MongoDB.
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
 * Both take `a.0` for a letter of the string at `a`, order strings by UTF-16 unit, and look for fields in array
 * elements that are no objects (`$elemMatch`).
 */
function isBeyond(filter: JsonObject): boolean {
  return /\.\d|𝄞|\uffee|"\$elemMatch":\{"[^$]/u.test(JSON.stringify(filter));
}

/** Both look for fields in arrays within arrays; MongoDB opens one level. */
function hasNestedArray(value: unknown, inArray = false): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const isArray = Array.isArray(value);
  return (isArray && inArray) || Object.values(value).some(inner => hasNestedArray(inner, isArray));
}
