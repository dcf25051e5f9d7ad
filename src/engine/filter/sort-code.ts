import { joined, literal, NOTHING, param, type Sql, sql } from '../../base/sql/index.js';
import { type FieldPath, lacking } from './field-path.js';
import { type Inside, valuesAt } from './scope.js';

/**
 * SQL of a text whose order by code point is MongoDB's order of JSON values: null, numbers, strings, objects, arrays,
 * booleans. An array sorts by its least element ascending and by its greatest descending; an element without the field
 * counts as null. A number becomes the 16 hex digits of its IEEE bits, mapped so that they grow with it: the sign bit is
 * flipped, and all other bits of a negative number too.
 */
export function codeOf(location: Inside, descending: boolean, elements = true): Sql {
  const bits = sql`('x' || encode(float8send((v)::float8), 'hex'))::bit(64)::bigint`;
  const code = sql`(SELECT nullif(${descending ? sql`max` : sql`min`}((CASE jsonb_typeof(v) \
WHEN 'null' THEN '0' \
WHEN 'number' THEN '1' || lpad(to_hex(i # ((i >> 63) | (-9223372036854775808))), 16, '0') \
WHEN 'string' THEN '2' || (v #>> '{}') \
WHEN 'object' THEN '3' || v::text \
WHEN 'array' THEN '4' || v::text \
ELSE '5' || v::text END) COLLATE "C"), '0') \
FROM (SELECT v, CASE WHEN jsonb_typeof(v) = 'number' THEN ${bits} END AS i \
FROM ${valuesAt(location, { elements })} AS value(v)) AS coded)`;
  // Null is the least value, so it decides only an ascending order.
  if (descending || location.path.length <= (location.isObject ? 1 : 0)) return code;
  return sql`(CASE WHEN ${lacks(location)} THEN NULL ELSE ${code} END)`;
}

/** A field of a sort that is inside a jsonb value. */
interface InnerField {
  readonly path: FieldPath;
  readonly descending: boolean;
}

/**
 * As `codeOf`, for fields that one array can contain: their codes come from the same element, which is the first in the
 * order of the sort. The root is an object.
 */
export function codesOf(root: Sql, fields: readonly InnerField[]): readonly Sql[] {
  const common = commonPart(fields.map(({ path }) => path));
  const location: Inside = { root, path: common };
  const codes = fields.map(({ path, descending }, at) => {
    const inside = path.slice(common.length);
    const code =
      inside.length === 0
        ? codeOf({ root: sql`e`, path: [] }, descending, false)
        : codeOf({ root: OBJECT, path: inside, isObject: true }, descending);
    return { code, name: literal(at + 1), descending };
  });
  const order = codes.map(({ descending, name }) =>
    descending ? sql`k[${name}] DESC NULLS LAST` : sql`k[${name}] ASC NULLS FIRST`,
  );
  const without = common.length < 2 ? NOTHING : sql` UNION ALL SELECT NULL WHERE ${lacks(location)}`;
  const first = sql`(SELECT k FROM (SELECT ARRAY[${joined(codes.map(({ code }) => code))}] AS k \
FROM (SELECT v FROM ${valuesAt(location, { elements: true })} AS value(v)${without}) AS element(e)) AS keys \
ORDER BY ${joined(order)} LIMIT 1)`;
  return codes.map(({ name }) => sql`((${first})[${name}] COLLATE "C")`);
}

/** Only an object has fields: an array in the array counts as an element without them. */
const OBJECT = sql`CASE jsonb_typeof(e) WHEN 'object' THEN e END`;

function lacks({ root, path }: Inside): Sql {
  return sql`${root} @@ ${param(lacking(path), 'jsonpath')}`;
}

function commonPart(paths: readonly FieldPath[]): FieldPath {
  const [first = [], ...others] = paths;
  const different = first.findIndex((part, at) => others.some(other => other[at] !== part));
  return different < 0 ? first : first.slice(0, different);
}
