import type { GrantParts } from '../../base/kernel/grant-parts.js';
import { isJsonObject, type JsonObject } from '../../base/kernel/json.js';
import type { Rule } from './grant.js';
import { parseRule, resolveRule } from './rule.js';
import type { VariableValues } from './variables.js';

/** An action that rules allow for a record. */
export type ExplainedAction = 'read' | 'create' | 'update' | 'delete';

/** The rule of a grant for an action as it is stored, or the one that counts when the grant does not name any. */
export function storedRule({ rules }: GrantParts, action: ExplainedAction, anonymous: boolean): unknown {
  if (rules === undefined || rules === null) return true;
  const named = rules as Readonly<Record<string, unknown>>;
  if (Object.hasOwn(named, action)) return named[action];
  return typeof named.read === 'boolean' || anonymous ? false : named.read;
}

/** The top-level conditions of a rule, each a filter of its own: its fields, and the members of its `$and`. */
export function conditionsOf(rule: unknown): JsonObject[] {
  if (!isJsonObject(rule)) return [];
  return Object.entries(rule).flatMap(([name, test]) =>
    name === '$and' && Array.isArray(test) ? (test as JsonObject[]) : [{ [name]: test } as JsonObject],
  );
}

/** The rule or condition with the values of a caller. One that this version cannot parse holds for no record. */
export function resolvedRule(json: unknown, values: VariableValues): Rule {
  try {
    return resolveRule(parseRule(json, 'rules'), values);
  } catch {
    return false;
  }
}
