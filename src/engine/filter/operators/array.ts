import { invalid } from '../../../base/kernel/errors.js';
import { isJsonObject } from '../../../base/kernel/json.js';
import { param, type Sql, sql } from '../../../base/sql/index.js';
import { type FieldLocation, type Scope, someValue } from '../scope.js';
import { node, type Test } from '../tree.js';
import { equality } from './comparison.js';
import { allTrue, type OperatorParser, operandArray, type Parser, type TestCompilers } from './operator.js';

/** MongoDB's manual, "Array Query Operators". */
export const arrayParsers = {
  $all(operand, parser) {
    const items = operandArray(operand, '$all');
    if (items.length === 0) return node({ kind: 'in', values: [] });
    return node({ kind: 'every', tests: Object.freeze(items.map(item => oneOfAll(item, parser))) });
  },
  $elemMatch: elementMatch,
  $size(operand) {
    if (!Number.isSafeInteger(operand) || (operand as number) < 0)
      throw invalid('$size needs an integer from 0');
    return node({ kind: 'size', size: Math.min(operand as number, 2 ** 31 - 1) });
  },
} as const satisfies Record<string, OperatorParser>;

/** `$all` is an `$and` of equalities, or of `$elemMatch`. */
function oneOfAll(item: unknown, parser: Parser): Test {
  const isElementMatch = isJsonObject(item) && Object.keys(item).join() === '$elemMatch';
  return parser.condition(isElementMatch ? elementMatch(item.$elemMatch, parser) : equality(item, '$all'));
}

/**
 * `{$gte: 80}` is a condition on the element itself. `{price: …}` and `{$or: […]}` are filters on an element that is a
 * document.
 */
function elementMatch(operand: unknown, parser: Parser): Test {
  if (!isJsonObject(operand)) throw invalid('$elemMatch needs an object');
  const [first] = Object.keys(operand);
  const ofValue = first?.startsWith('$') && !['$and', '$or', '$nor'].includes(first);
  return ofValue
    ? node({ kind: 'elementIs', test: parser.operators(operand, '$elemMatch') })
    : node({ kind: 'elementHas', filter: parser.elementFilter(operand) });
}

export const arrayTests: Pick<TestCompilers, 'size' | 'elementIs' | 'elementHas'> = {
  size: ({ size }, location, scope) => {
    const length = param(size, 'integer');
    return someValue(
      location,
      scope,
      { elements: false },
      value =>
        sql`CASE WHEN jsonb_typeof(${value}) = 'array' THEN jsonb_array_length(${value}) = ${length} ELSE FALSE END`,
    );
  },
  elementIs: ({ test }, location, scope) =>
    someElement(location, scope, ELEMENTS, element =>
      scope.test(test, { root: element, path: [], isElement: true }),
    ),
  elementHas: ({ filter }, location, scope) =>
    someElement(location, scope, DOCUMENTS, element =>
      allTrue([sql`jsonb_typeof(${element}) = 'object'`, scope.inElement(element).filter(filter)]),
    ),
};

/**
 * SQL of the elements of a value. `$[*]` treats a value that is not an array as an array of one, so it never fails
 * before the type of the value has been checked.
 */
const ELEMENTS = (value: Sql) => sql`jsonb_path_query(${value}, '$[*]')`;

/** As `ELEMENTS`, but an inner array becomes a document whose fields are its positions. */
const DOCUMENTS = (value: Sql) => sql`(
  SELECT CASE WHEN jsonb_typeof(e) = 'array' THEN (
    SELECT coalesce(jsonb_object_agg((n - 1)::text, i), '{}') FROM jsonb_array_elements(e) WITH ORDINALITY AS inner_one(i, n)
  ) ELSE e END FROM ${ELEMENTS(value)} AS outer_one(e))`;

function someElement(
  location: FieldLocation,
  scope: Scope,
  elementsOf: (value: Sql) => Sql,
  condition: (element: Sql) => Sql,
): Sql {
  return someValue(location, scope, { elements: false }, value => {
    const alias = scope.alias();
    const elements = sql`SELECT FROM ${elementsOf(value)} AS ${alias}(v) WHERE ${condition(sql`${alias}.v`)}`;
    return sql`jsonb_typeof(${value}) = 'array' AND EXISTS (${elements})`;
  });
}
