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
  return walk(path).map(whole);
}

/**
 * A jsonpath predicate: the path ends early somewhere, as MongoDB's `{field: null}` understands it: an object without the
 * field, or a value (not inside an array) that has no fields; through an array only its objects count.
 */
export function missing(path: FieldPath): string {
  return path
    .flatMap((part, length) => walk(path.slice(0, length)).flatMap(at => endsAt(at, part)))
    .join(' || ');
}

function walk(path: FieldPath): readonly Route[] {
  return path.reduce<readonly Route[]>((open, part) => open.flatMap(route => step(route, part)), ROOT);
}

function step(route: Route, part: string): Route[] {
  const member = { holder: whole(route), tail: `.${quote(part)}` };
  if (!isIndex(part) || route.tail === '') return [member];
  const isArray = `? (@${route.tail}.type() == "array")`;
  return [member, { holder: `${route.holder} ${isArray}`, tail: `${route.tail}[${part}]` }];
}

function endsAt(at: Route, part: string): string[] {
  const atRoot = at.tail === '';
  const type = atRoot ? '$.type()' : `@${at.tail}.type()`;
  const scalar = `${type} != "object" && ${type} != "array"`;
  const ends = [atRoot ? `(${scalar})` : `exists(${at.holder} ? (${scalar}))`];
  if (atRoot || !isIndex(part)) {
    return [...ends, `exists(${whole(at)} ? (@.type() == "object" && !exists(@.${quote(part)})))`];
  }
  const [value, name] = [`@${at.tail}`, quote(part)];
  return [
    ...ends,
    `exists(${at.holder} ? (${type} == "object" && !exists(${value}.${name})))`,
    `exists(${at.holder} ? (${type} == "array" && !exists(${value}[${part}])))`,
  ];
}

function whole(route: Route): string {
  return route.holder + route.tail;
}

/** JSON's quoting is a subset of jsonpath's (ECMAScript string literals). */
function quote(name: string): string {
  return JSON.stringify(name);
}
