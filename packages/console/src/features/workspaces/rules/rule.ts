import type { Schemas } from '@typed-collections/client/api';
import { entriesOf } from '../../organization/fields/texts.js';

export type Rule = Schemas['RuleBody'];
export type Authorizations = Schemas['AuthorizationsView'];

export const ACTIONS = ['manage', 'create', 'read', 'update', 'delete', 'execute'] as const;
export const SUBJECTS = ['workspaces', 'pages', 'files', 'apps', 'events', 'automations'] as const;
export const RULE_SUBJECTS = [...SUBJECTS, 'all'] as const;

export type Action = (typeof ACTIONS)[number];
export type Subject = (typeof SUBJECTS)[number];
type RuleSubject = (typeof RULE_SUBJECTS)[number];

/** The roles of every workspace. They cannot be changed. */
export const BUILT_IN: readonly string[] = ['owner', 'editor'];

/** A rule as its form has it. */
export interface RuleDraft {
  readonly actions: readonly Action[];
  readonly subjects: readonly RuleSubject[];
  /** Empty: everybody who sees the workspace. */
  readonly role: string;
  readonly forbids: boolean;
  /** A MongoDB query as JSON; empty: none. */
  readonly conditions: string;
  readonly fields: string;
  readonly priority: string;
  readonly reason: string;
}

export function draftOf(rule: Rule | undefined): RuleDraft {
  return {
    actions: listOf(rule?.action),
    subjects: listOf(rule?.subject),
    role: rule?.role ?? '',
    forbids: rule?.inverted ?? false,
    conditions: rule?.conditions === undefined ? '' : JSON.stringify(rule.conditions, null, 2),
    fields: (rule?.fields ?? []).join('\n'),
    priority: String(rule?.priority ?? 0),
    reason: rule?.reason ?? '',
  };
}

/** The rule in the form of the API, without empty fields. */
export function ruleOf(draft: RuleDraft): Rule {
  const { actions, subjects, role, forbids, reason } = draft;
  const conditions = jsonObjectOf(draft.conditions);
  const fields = entriesOf(draft.fields);
  const priority = Number(draft.priority);
  return {
    action: [...actions],
    subject: [...subjects],
    ...(role !== '' && { role }),
    ...(conditions !== undefined && { conditions }),
    ...(forbids && { inverted: true }),
    ...(fields.length > 0 && { fields }),
    ...(priority !== 0 && { priority }),
    ...(reason.trim() !== '' && { reason: reason.trim() }),
  };
}

/** False while something is missing, or the conditions are not an object. */
export function isComplete({ actions, subjects, conditions }: RuleDraft): boolean {
  return (
    actions.length > 0 &&
    subjects.length > 0 &&
    (conditions.trim() === '' || jsonObjectOf(conditions) !== undefined)
  );
}

/** The object that a text is as JSON; undefined if it is not one. */
export function jsonObjectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The rules with one of them replaced, added (`before` is undefined) or removed (`after` is undefined). Undefined if
 * somebody else has changed or removed that rule meanwhile. Rules have no ids: equal ones are the same.
 */
export function withRule(
  rules: readonly Rule[],
  before: Rule | undefined,
  after: Rule | undefined,
): Rule[] | undefined {
  const added = after === undefined ? [] : [after];
  if (before === undefined) return [...rules, ...added];
  const index = rules.findIndex(rule => JSON.stringify(rule) === JSON.stringify(before));
  return index < 0 ? undefined : rules.toSpliced(index, 1, ...added);
}

export function listOf<T>(one: T | readonly T[] | undefined): readonly T[] {
  if (one === undefined) return [];
  return Array.isArray(one) ? one : [one as T];
}
