import type { JsonObject } from '../../kernel/json.js';
import {
  WORKSPACE_ACTIONS,
  WORKSPACE_SUBJECTS,
  type WorkspaceAction,
  type WorkspaceSubject,
} from '../../kernel/workspace-rule.js';

/** A rule in the shape of CASL. Without `role` it is for everyone who works in the workspace. */
export interface WorkspaceRule {
  readonly action: WorkspaceAction | readonly WorkspaceAction[];
  readonly subject: RuleSubject | readonly RuleSubject[];
  readonly role?: string;
  readonly conditions?: JsonObject;
  /** Forbids instead of allowing. */
  readonly inverted?: boolean;
  readonly fields?: readonly string[];
  /** The higher one wins, then the later one; 0 by default. */
  readonly priority?: number;
  readonly reason?: string;
}

export const RULE_SUBJECTS = [...WORKSPACE_SUBJECTS, 'all'] as const;
type RuleSubject = WorkspaceSubject | 'all';

export const MAX_RULES = 100;
export const MAX_ROLES = 50;

/** A role's name: starts with a letter or digit, so that it is no property every object has. */
export const ROLE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Fields like `name` and `address.*`: one wildcard, at the end, since CASL makes a regular expression of it. */
export const FIELD_PATTERN = /^(\*|[A-Za-z_]\w{0,63}(\.\w{1,64}){0,5}(\.\*{1,2})?)$/;

/** True for one of the choices, or a list of one or more of them. */
function isOneOrMore(value: unknown, choices: readonly string[]): boolean {
  const list = Array.isArray(value) ? value : [value];
  return list.length > 0 && list.length <= choices.length && list.every(each => choices.includes(each));
}

export function isAction(value: unknown): boolean {
  return isOneOrMore(value, WORKSPACE_ACTIONS);
}

export function isRuleSubject(value: unknown): boolean {
  return isOneOrMore(value, RULE_SUBJECTS);
}

export function listOf<T>(one: T | readonly T[]): readonly T[] {
  return Array.isArray(one) ? one : [one as T];
}
