import { invalid } from '../../../base/kernel/errors.js';
import type { JsonObject, JsonValue } from '../../../base/kernel/json.js';
import { joined, type Sql, sql } from '../../../base/sql/index.js';
import { checkDocument } from '../../columns/index.js';
import type { FieldLocation, Scope } from '../scope.js';
import type { Filter, FilterOf, Test, TestOf } from '../tree.js';

/** What an operator's parser uses to parse the operators below it. Counts levels and conditions. */
export interface Parser {
  /** A filter one level deeper. */
  filter(json: unknown, where: string): Filter;
  /** A filter on an array's element, one level deeper. */
  elementFilter(json: unknown): Filter;
  /** The operators in an object such as `{$gt: 1, $lt: 5}`, one level deeper. */
  operators(json: unknown, where: string): Test;
  /** Counts one more condition against the limit. */
  condition(test: Test): Test;
}

/** Parses the operand of a field's operator; `siblings` is the object that contains the operator. */
export type OperatorParser = (operand: unknown, parser: Parser, siblings: JsonObject) => Test;

/** One compiler for every kind of node, so that a missing kind is a type error. */
export type FilterCompilers = { [Kind in Filter['kind']]: (filter: FilterOf<Kind>, scope: Scope) => Sql };
export type TestCompilers = {
  [Kind in Test['kind']]: (test: TestOf<Kind>, location: FieldLocation, scope: Scope) => Sql;
};

/** An operand that is a value as in records; the same rules apply to it. */
export function operandValue(operand: unknown, operator: string): JsonValue {
  checkDocument(operand, operator);
  return operand as JsonValue;
}

export function operandArray(operand: unknown, operator: string): readonly unknown[] {
  if (!Array.isArray(operand)) throw invalid(`${operator} needs an array`);
  return operand;
}

export const TRUE = sql`TRUE`;
export const FALSE = sql`FALSE`;

/** SQL that is true exactly when the condition is not true; a condition that is NULL counts as false. */
export function negated(condition: Sql): Sql {
  return sql`(${condition}) IS NOT TRUE`;
}

export function allTrue(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return TRUE;
  return conditions.length === 1 ? conditions[0]! : sql`(${joined(conditions, ' AND ')})`;
}

export function anyTrue(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return FALSE;
  return conditions.length === 1 ? conditions[0]! : sql`(${joined(conditions, ' OR ')})`;
}
