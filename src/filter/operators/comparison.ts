import type { Comparison } from '../../columns/index.js';
import { invalid } from '../../kernel/errors.js';
import type { JsonValue } from '../../kernel/json.js';
import { param, type Sql, sql } from '../../sql/index.js';
import { missing, routes } from '../jsonpath.js';
import { type Column, type Inside, matches, opening, type Scope, someValue } from '../scope.js';
import { node, type Test } from '../tree.js';
import { anyTrue, type OperatorParser, operandArray, operandValue, type TestCompilers } from './operator.js';

const MAX_IN = 10_000;
/** The comparison operators of jsonpath. */
const SYMBOLS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
const COMPARED: Readonly<Record<Comparison, (value: Sql, operand: Sql) => Sql>> = {
  eq: (value, operand) => sql`${value} = ${operand}`,
  gt: (value, operand) => sql`${value} > ${operand}`,
  gte: (value, operand) => sql`${value} >= ${operand}`,
  lt: (value, operand) => sql`${value} < ${operand}`,
  lte: (value, operand) => sql`${value} <= ${operand}`,
};

/** MongoDB's manual, "Comparison Query Operators". */
export const comparisonParsers = {
  $eq: operand => equality(operand, '$eq'),
  $ne: operand => node({ kind: 'not', test: equality(operand, '$ne') }),
  $gt: operand => ordering('gt', operand),
  $gte: operand => ordering('gte', operand),
  $lt: operand => ordering('lt', operand),
  $lte: operand => ordering('lte', operand),
  $in: operand => membership(operand, '$in'),
  $nin: operand => node({ kind: 'not', test: membership(operand, '$nin') }),
} as const satisfies Record<string, OperatorParser>;

/** Equality, implicit (`{field: value}`) or with `$eq`. */
export function equality(operand: unknown, where: string): Test {
  return node({ kind: 'eq', value: operandValue(operand, where) });
}

/** Null is equal to null only, so `$gte` and `$lte` null are equality and `$gt` and `$lt` null match nothing. */
function ordering(comparison: Exclude<Comparison, 'eq'>, operand: unknown): Test {
  const value = operandValue(operand, `$${comparison}`);
  if (value === null) {
    return comparison.endsWith('e') ? node({ kind: 'eq', value }) : node({ kind: 'in', values: [] });
  }
  if (typeof value === 'object') throw invalid(`$${comparison} needs a number, a string, a boolean or null`);
  return node({ kind: 'order', comparison, value });
}

function membership(operand: unknown, operator: string): Test {
  const values = operandArray(operand, operator);
  if (values.length > MAX_IN) throw invalid(`${operator} takes at most ${MAX_IN} values`);
  return node({ kind: 'in', values: operandValue(values, operator) as JsonValue[] });
}

export const comparisonTests: Pick<TestCompilers, 'eq' | 'order' | 'in'> = {
  eq: ({ value }, place, scope) =>
    'column' in place
      ? value === null
        ? sql`${place.column} IS NULL`
        : compareColumn(place, 'eq', value)
      : equalInside(value, place, scope),
  order: ({ comparison, value }, place) =>
    'column' in place
      ? compareColumn(place, comparison, value)
      : matches(place, at => `${at} ${SYMBOLS[comparison]} ${JSON.stringify(value)}`),
  in: ({ values }, place, scope) =>
    'column' in place ? columnIn(values, place) : insideIn(values, place, scope),
};

/** An operand that the column can never match becomes NULL, so that the text of the statement stays the same. */
function compareColumn(place: Column, comparison: Comparison, value: JsonValue): Sql {
  const operand = place.type.operand(value, comparison) ?? null;
  return COMPARED[comparison](place.column, param(operand, place.type.castType));
}

function columnIn(values: readonly JsonValue[], place: Column): Sql {
  const operands = values
    .filter(value => value !== null)
    .map(value => place.type.operand(value, 'eq'))
    .filter(operand => operand !== undefined);
  const among = sql`${place.column} = ANY(${param(operands, `${place.type.castType}[]`)})`;
  return values.includes(null) ? sql`(${among} OR ${place.column} IS NULL)` : among;
}

function equalInside(value: JsonValue, place: Inside, scope: Scope): Sql {
  if (value === null) return nullOrMissing(place);
  if (typeof value === 'object') return equalToOne([value], place, scope);
  return matches(place, at => `${at} == ${JSON.stringify(value)}`);
}

function insideIn(values: readonly JsonValue[], place: Inside, scope: Scope): Sql {
  const present = values.filter(value => value !== null);
  const among = equalToOne(present, place, scope);
  return values.length > present.length ? anyTrue([among, nullOrMissing(place)]) : among;
}

function nullOrMissing(place: Inside): Sql {
  const isNull = routes(place.path).map(route => `${route} == null`);
  const absent = place.path.length === 0 ? [] : [missing(place.path)];
  const predicate = [...isNull, ...absent].join(' || ');
  return sql`coalesce(${opening(place)}, 'null'::jsonb) @@ ${param(predicate, 'jsonpath')}`;
}

/**
 * Equality with one of several values. Scalars and objects are compared with the elements of an array; an array is also
 * compared with the whole array.
 */
function equalToOne(values: readonly JsonValue[], place: Inside, scope: Scope): Sql {
  const among = (candidates: readonly JsonValue[]) => {
    const texts = candidates.map(value => JSON.stringify(value));
    // PostgreSQL hashes a subquery once per statement, even in a generic plan. `= ANY` would scan the list for every
    // row.
    return (value: Sql) => sql`${value} IN (SELECT unnest(${param(texts, 'jsonb[]')}))`;
  };
  const arrays = values.filter(Array.isArray);
  const conditions = [someValue(place, scope, { elements: true }, among(values))];
  if (arrays.length > 0 && !place.isElement)
    conditions.push(someValue(place, scope, { elements: false }, among(arrays)));
  return anyTrue(conditions);
}
