import { nameFlaw } from '../columns/index.js';
import { invalid } from '../kernel/errors.js';

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
export function isIndex(part: string): boolean {
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

/** Jsonpath expressions that together select every value at the path. Arrays at its end are not opened. */
export function routes(path: FieldPath): readonly string[] {
  const open = path.reduce<readonly Route[]>((ways, part) => ways.flatMap(way => step(way, part)), ROOT);
  return open.map(({ holder, tail }) => holder + tail);
}

/**
 * A jsonpath predicate that is true when the path ends early, in the sense of MongoDB's `{field: null}`: at an object
 * without the field, or at a value (not inside an array) that has no fields. In an array only objects count. The path
 * must not be empty. The predicate is nested and not chained, so that its length is linear in the path's length, not
 * quadratic.
 */
export function missing([part, ...rest]: FieldPath, value = '$'): string {
  const type = `${value}.type()`;
  const scalar = `(${type} != "object" && ${type} != "array")`;
  const member = `.${quote(part!)}`;
  if (!isIndex(part!))
    return `${scalar} || exists(${value} ? (@.type() == "object" && ${lacks(`@${member}`, rest)}))`;
  const inObject = `(${type} == "object" && ${lacks(value + member, rest)})`;
  return `${scalar} || ${inObject} || (${type} == "array" && ${lacks(`${value}[${part}]`, rest)})`;
}

function lacks(value: string, rest: FieldPath): string {
  const absent = `!exists(${value})`;
  return rest.length === 0 ? absent : `(${absent} || ${missing(rest, value)})`;
}

function step(route: Route, part: string): Route[] {
  const { holder, tail } = route;
  const member = { holder: holder + tail, tail: `.${quote(part)}` };
  if (!isIndex(part) || tail === '') return [member];
  // A filter opens an array. An element of the array counts only if it is an object.
  const holdsArray = `(@.type() == "object" && @${tail}.type() == "array")`;
  return [member, { holder: `${holder} ? ${holdsArray}`, tail: `${tail}[${part}]` }];
}

/** JSON's quoting is a subset of jsonpath's (ECMAScript string literals). */
function quote(name: string): string {
  return JSON.stringify(name);
}
