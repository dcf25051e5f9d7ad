import { Query } from 'mingo';
import siftModule from 'sift';
import type { JsonObject } from '../../src/base/kernel/json.js';
import { answers } from './model.js';

/** The types describe an ES module, but the loaded module is CommonJS and is the function itself. */
const sift = siftModule as unknown as (filter: JsonObject) => (document: JsonObject) => boolean;

/** The right answer, and the kind of dispute if a library answers differently. */
export interface Verdict {
  readonly matches: boolean;
  readonly dispute?: Dispute;
}

export interface Dispute {
  readonly kind: string;
  readonly mingo: Standing;
  readonly sift: Standing;
}

type Standing = 'right' | 'wrong';

/** The answers of the manual (`model.ts`), and the libraries that disagree. */
export function verdicts(filter: JsonObject): (document: JsonObject) => Verdict {
  const ask = libraries(filter);
  return document => judged(filter, document, answers(filter, document), ask);
}

/** Like `verdicts`, for cases whose answer by the manual is known. */
export function verdict(filter: JsonObject, document: JsonObject, matches: boolean): Verdict {
  return judged(filter, document, matches, libraries(filter));
}

type Libraries = Readonly<Record<'mingo' | 'sift', (document: JsonObject) => boolean | undefined>>;

function judged(filter: JsonObject, document: JsonObject, matches: boolean, ask: Libraries): Verdict {
  const standing = (answer: boolean | undefined): Standing => (answer === matches ? 'right' : 'wrong');
  const mingo = standing(ask.mingo(document));
  const sift = standing(ask.sift(document));
  if (mingo === 'right' && sift === 'right') return { matches };
  return { matches, dispute: { kind: kindOf(filter, document), mingo, sift } };
}

/** The answers of the two libraries. Undefined if one of them cannot read the filter. */
function libraries(filter: JsonObject): Libraries {
  const query = attempt(() => new Query(filter));
  const test = attempt(() => sift(filter));
  return {
    mingo: document => attempt(() => query?.test(document)),
    sift: document => attempt(() => test?.(document)),
  };
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/**
 * The ways in which the libraries differ from MongoDB, and the rule in its manual. The first kind that fits a
 * case names it.
 */
export const DISPUTES: Readonly<
  Record<string, { ruling: string; applies: (filter: string, document: JsonObject) => boolean }>
> = {
  'A number in a path': {
    ruling:
      'A number names a position of an array or a field of an object, never a letter of a string. A position after the end is no value, so it does not equal null; an object in the array without a field of that name does. An array at a position is not opened. (Dot notation; the tests of paths in the source of the server)',
    applies: filter => /\.\d/.test(filter),
  },
  'An array in an array': {
    ruling:
      'A path and a comparison open one level of arrays, not two. Inside `$elemMatch` they open none: an array in the array is compared as it is, and its fields are its positions. (Query an Array; $elemMatch)',
    applies: (_, document) => hasNestedArray(document),
  },
  'Strings beyond U+FFFF': {
    ruling:
      'Strings compare byte by byte in UTF-8, which is by code point; JavaScript compares UTF-16 units. (Comparison/Sort Order)',
    applies: filter => /[𝄞\uffee]/u.test(filter) && /\$[gl]te?/.test(filter),
  },
  '`$all`': {
    ruling:
      '`{$all: [x, y]}` is `{$and: [{field: x}, {field: y}]}`: a scalar field can satisfy it; an absent field does not equal `{}` or `[]`. ($all)',
    applies: filter => filter.includes('$all'),
  },
  '`$elemMatch`': {
    ruling:
      'Only arrays have elements, and only an element that is an object or an array has fields. ($elemMatch)',
    applies: filter => filter.includes('$elemMatch'),
  },
  'Arrays in `$in`': {
    ruling: '`$in` compares as `$eq` does: an array in its list equals a field that is this array. ($in)',
    applies: filter => /\$n?in":\[.*\[/.test(filter),
  },
  'Empty arrays': {
    ruling:
      'A field that no element of an array has is absent, not an empty array. (Query an Array of Embedded Documents)',
    applies: filter => filter.includes('[]') || filter.includes('$size'),
  },
  'Null behind an array': {
    ruling:
      '`{"a.b": null}` finds a record in which some object of the array `a` lacks `b`; elements that are not objects do not count. (Query for Null or Missing Fields)',
    applies: filter => filter.includes('null'),
  },
  Other: { ruling: 'See the model of the manual, `test/conformance/model.ts`.', applies: () => true },
};

function kindOf(filter: JsonObject, document: JsonObject): string {
  const text = JSON.stringify(filter);
  return Object.entries(DISPUTES).find(([, { applies }]) => applies(text, document))?.[0] as string;
}

function hasNestedArray(value: unknown, inArray = false): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const isArray = Array.isArray(value);
  return (isArray && inArray) || Object.values(value).some(inner => hasNestedArray(inner, isArray));
}
