import { invalid } from '../../base/kernel/errors.js';
import { nameFlaw } from '../columns/index.js';

/** The parts of a dotted name, never empty: `a.0.b` is `['a', '0', 'b']`. */
export type FieldPath = readonly string[];

/** Maximum of parts, equal to the maximum depth of a record. */
const MAX_PARTS = 100;
/** Maximum length of a path, because the path is repeated in the jsonpath that it compiles to. */
const MAX_LENGTH = 2_000;
/**
 * Maximum of array indexes in a path. Each may also be the name of a field, so each doubles the ways to read the path.
 */
const MAX_INDEXES = 4;
/** At most nine digits: PostgreSQL's array subscripts are int4. */
const INDEX = /^(?:0|[1-9]\d{0,8})$/;

/** True for a part that is a position when its parent is an array. */
function isIndex(part: string): boolean {
  return INDEX.test(part);
}

/** Parses a dotted field name by the contract's rules for names. Throws `invalid()`. */
export function parseFieldPath(name: unknown): FieldPath {
  if (typeof name !== 'string') throw invalid('a field name must be a string');
  if (name.length > MAX_LENGTH) throw invalid(`a field path is at most ${MAX_LENGTH} characters long`);
  const parts = name.split('.');
  for (const part of parts) {
    const flaw = nameFlaw(part);
    if (flaw !== undefined) throw invalidPath(name, flaw);
  }
  if (parts.length > MAX_PARTS) throw invalidPath(name, `more than ${MAX_PARTS} levels`);
  if (parts.length > MAX_INDEXES && parts.filter(isIndex).length > MAX_INDEXES)
    throw invalidPath(name, `at most ${MAX_INDEXES} numeric parts are supported in one path`);
  return Object.freeze(parts);
}

/** Number of characters that count as one more part. */
const CHARACTERS_PER_PART = 20;

/**
 * The parts of all ways to read a path: each index has two, as a position and as a field. The jsonpath of a condition
 * contains all of them. 0 for a path without indexes, which the maximum of conditions limits already.
 */
export function partsToRead(path: FieldPath): number {
  const indexes = path.filter(isIndex).length;
  if (indexes === 0) return 0;
  const characters = path.reduce((sum, part) => sum + quote(part).length, 0);
  return (path.length + Math.ceil(characters / CHARACTERS_PER_PART)) * 2 ** indexes;
}

function invalidPath(name: string, flaw: string): Error {
  const shown = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
  return invalid(`field ${shown}: ${flaw}`);
}

/**
 * PostgreSQL's lax jsonpath reads a path as MongoDB does. A member accessor reads the objects of an array, one level
 * deep, and a comparison reads the elements of an array at the end of the path. It compares text by code point in a
 * UTF-8 database (`compareStrings` in jsonpath_exec.c), and values of different types are never equal. One difference
 * is corrected here: `[n]` treats a value that is not an array as an array of one.
 */

/** One way to read a path: `holder` selects the parent of the last steps, and `tail` is those steps. */
interface Route {
  readonly holder: string;
  readonly tail: string;
}

const ROOT: readonly Route[] = [{ holder: '$', tail: '' }];

/**
 * Jsonpath expressions that together select every value at the path. Arrays at its end are not opened. With `compared`,
 * an array at a position is left out: a comparison opens an array that a name leads to, not one that a position does.
 */
export function routes(path: FieldPath, compared = false): readonly string[] {
  const last = path.length - 1;
  const open = path.reduce<readonly Route[]>(
    (ways, part, at) => ways.flatMap(way => step(way, part, compared && at === last)),
    ROOT,
  );
  return open.map(({ holder, tail }) => holder + tail);
}

/**
 * A jsonpath predicate that is true when the path ends early, in the sense of MongoDB's `{field: null}`: at an object
 * without the field, or at a value that has no fields. Elements of an array count only if they are objects, or if the
 * path enters an array at their position. So no element of `[7]` lacks `1`, but each object in an array without a field
 * `1` does (path.cpp of MongoDB's server). The path must not be empty. The predicate is nested and not chained, so that
 * its length is linear in the path's length, not quadratic.
 */
export function missing(path: FieldPath, value = '$'): string {
  const type = `${value}.type()`;
  return `(${type} != "object" && ${type} != "array") || ${missingInside(path, value)}`;
}

/** As `missing`, for the fields of an object or of the elements of an array; false for other values. */
function missingInside([part, ...rest]: FieldPath, value: string): string {
  // A filter opens an array.
  const inObjects = `exists(${value} ? (@.type() == "object" && ${lacks(`@.${quote(part!)}`, rest)}))`;
  if (!isIndex(part!) || rest.length === 0) return inObjects;
  return `${inObjects} || (${value}.type() == "array" && (${missingInside(rest, `${value}[${part}]`)}))`;
}

function lacks(value: string, rest: FieldPath): string {
  const absent = `!exists(${value})`;
  return rest.length === 0 ? absent : `(${absent} || ${missing(rest, value)})`;
}

/**
 * As `missing`, in the sense of a sort: each element of an array on the path that does not have the rest of it counts as
 * null, also one that is no object. A position after the end of an array does so too.
 */
export function lacking([part, ...rest]: FieldPath, value = '$'): string {
  const below = (member: string) =>
    `!exists(${member})${rest.length === 0 ? '' : ` || ${lacking(rest, member)}`}`;
  const inElements = `exists(${value} ? (@.type() != "object" || ${below(`@.${quote(part!)}`)}))`;
  if (!isIndex(part!)) return inElements;
  const atPosition = `(${value}.type() == "array" && (${below(`${value}[${part}]`)}))`;
  return `${atPosition} || (${value}.type() != "array" && ${inElements})`;
}

function step(route: Route, part: string, withoutArrays: boolean): Route[] {
  const { holder, tail } = route;
  const member = { holder: holder + tail, tail: `.${quote(part)}` };
  if (!isIndex(part) || tail === '') return [member];
  // A filter opens an array. An element of the array counts only if it is an object.
  const noArray = withoutArrays ? ` && @${tail}[${part}].type() != "array"` : '';
  const holdsArray = `(@.type() == "object" && @${tail}.type() == "array"${noArray})`;
  return [member, { holder: `${holder} ? ${holdsArray}`, tail: `${tail}[${part}]` }];
}

/** JSON's quoting is a subset of jsonpath's (ECMAScript string literals). */
function quote(name: string): string {
  return JSON.stringify(name);
}
