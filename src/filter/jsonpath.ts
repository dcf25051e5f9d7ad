import { type FieldPath, isIndex } from './field-path.js';

/**
 * PostgreSQL's lax jsonpath reads a path as MongoDB does: a member accessor looks into the objects of an array, one level deep,
 * and a comparison looks at the elements of an array at the path's end. It also compares text by code point in a
 * UTF-8 database (`compareStrings` in jsonpath_exec.c) and never equates values of two types. What it does otherwise
 * is mended here: `[n]` takes a value that is no array for an array of one.
 */

/** One way to read a path: `holder` yields what holds the last steps, `tail` takes them. */
interface Route {
  readonly holder: string;
  readonly tail: string;
}

const ROOT: readonly Route[] = [{ holder: '$', tail: '' }];

/** Jsonpath expressions that together yield every value at the path; arrays at its end are not opened. */
export function routes(path: FieldPath): readonly string[] {
  const open = path.reduce<readonly Route[]>((ways, part) => ways.flatMap(way => step(way, part)), ROOT);
  return open.map(({ holder, tail }) => holder + tail);
}

/**
 * A jsonpath predicate: the path ends early somewhere, as MongoDB's `{field: null}` understands it: an object without
 * the field, or a value (not inside an array) that has no fields; through an array only its objects count. The path
 * must not be empty. Nested rather than chained, so that its length grows with the path's and not with its square.
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
  // A filter opens an array; what it finds in there counts only if it is an object.
  const holdsArray = `(@.type() == "object" && @${tail}.type() == "array")`;
  return [member, { holder: `${holder} ? ${holdsArray}`, tail: `${tail}[${part}]` }];
}

/** JSON's quoting is a subset of jsonpath's (ECMAScript string literals). */
function quote(name: string): string {
  return JSON.stringify(name);
}
