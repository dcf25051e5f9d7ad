import { invalid } from '../../../base/kernel/errors.js';
import type { JsonValue } from '../../../base/kernel/json.js';
import { type Param, param, type Sql, sql } from '../../../base/sql/index.js';
import type { Comparison } from '../../columns/index.js';
import { missing, routes } from '../field-path.js';
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
  eq: ({ value }, location, scope) =>
    'column' in location
      ? value === null
        ? sql`${location.column} IS NULL`
        : compareColumn(location, 'eq', value)
      : equalInside(value, location, scope),
  order: ({ comparison, value }, location) =>
    'column' in location
      ? compareColumn(location, comparison, value)
      : matches(location, at => `${at} ${SYMBOLS[comparison]} ${JSON.stringify(value)}`, true),
  in: ({ values }, location, scope) =>
    'column' in location ? columnIn(values, location) : insideIn(values, location, scope),
};

/** An operand that the column can never match becomes NULL, so that the text of the statement stays the same. */
function compareColumn(location: Column, comparison: Comparison, value: JsonValue): Sql {
  const operand = location.type.operand(value, comparison) ?? null;
  return COMPARED[comparison](location.column, param(operand, location.type.castType));
}

function columnIn(values: readonly JsonValue[], location: Column): Sql {
  const isOneOf = sql`${location.column} = ANY(${operandsFor(values, location)})`;
  return values.includes(null) ? sql`(${isOneOf} OR ${location.column} IS NULL)` : isOneOf;
}

/** A parameter with those of the values that a column can have, as a list without null. */
export function operandsFor(values: readonly JsonValue[], { type }: Column): Param {
  const operands = values
    .filter(value => value !== null)
    .map(value => type.operand(value, 'eq'))
    .filter(operand => operand !== undefined);
  return param(operands, `${type.castType}[]`);
}

function equalInside(value: JsonValue, location: Inside, scope: Scope): Sql {
  if (value === null) return nullOrMissing(location);
  if (typeof value === 'object') return equalToOne([value], location, scope);
  return matches(location, at => `${at} == ${JSON.stringify(value)}`, true);
}

function insideIn(values: readonly JsonValue[], location: Inside, scope: Scope): Sql {
  const present = values.filter(value => value !== null);
  const isOneOf = equalToOne(present, location, scope);
  return values.length > present.length ? anyTrue([isOneOf, nullOrMissing(location)]) : isOneOf;
}

function nullOrMissing(location: Inside): Sql {
  const isNull = routes(location.path, true).map(route => `${route} == null`);
  const absent = location.path.length === 0 ? [] : [missing(location.path)];
  const predicate = [...isNull, ...absent].join(' || ');
  return sql`coalesce(${opening(location)}, 'null'::jsonb) @@ ${param(predicate, 'jsonpath')}`;
}

/**
 * Equality with one of several values. Scalars and objects are compared with the elements of an array; an array is also
 * compared with the whole array.
 */
function equalToOne(values: readonly JsonValue[], location: Inside, scope: Scope): Sql {
  const isOneOf = (candidates: readonly JsonValue[]) => {
    // PostgreSQL hashes a subquery once per statement, even in a generic plan. `= ANY` would scan the list for every
    // row. In one JSON text, a long string is escaped once; in an array of jsonb, it would be escaped twice.
    const list = param(JSON.stringify(candidates), 'jsonb');
    return (value: Sql) => sql`${value} IN (SELECT jsonb_array_elements(${list}))`;
  };
  const arrays = values.filter(Array.isArray);
  const conditions = [someValue(location, scope, { elements: true }, isOneOf(values))];
  if (arrays.length > 0 && !location.isElement)
    conditions.push(someValue(location, scope, { elements: false }, isOneOf(arrays)));
  return anyTrue(conditions);
}
