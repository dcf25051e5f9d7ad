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
  return [member, { holder: holding(route, 'array'), tail: `${route.tail}[${part}]` }];
}

/** The holders whose value is of a type. A filter opens an array; what it finds in there counts only if it is an object. */
function holding({ holder, tail }: Route, type: 'array' | 'object' | 'scalar', also = ''): string {
  const value = `@${tail}.type()`;
  const isType = type === 'scalar' ? `${value} != "object" && ${value} != "array"` : `${value} == "${type}"`;
  return `${holder} ? (@.type() == "object" && ${isType}${also})`;
}

/** A path of which `at` has been walked ends before `part`. */
function endsAt(at: Route, part: string): string[] {
  const name = quote(part);
  const inObject = `exists(${whole(at)} ? (@.type() == "object" && !exists(@.${name})))`;
  if (at.tail === '') return ['($.type() != "object" && $.type() != "array")', inObject];
  const atScalar = `exists(${holding(at, 'scalar')})`;
  if (!isIndex(part)) return [atScalar, inObject];
  return [
    atScalar,
    `exists(${holding(at, 'object', ` && !exists(@${at.tail}.${name})`)})`,
    `exists(${holding(at, 'array', ` && !exists(@${at.tail}[${part}])`)})`,
  ];
}

function whole(route: Route): string {
  return route.holder + route.tail;
}

/** JSON's quoting is a subset of jsonpath's (ECMAScript string literals). */
function quote(name: string): string {
  return JSON.stringify(name);
}
