import type { JsonObject } from '../../../base/kernel/json.js';
import {
  WORKSPACE_ACTIONS,
  WORKSPACE_SUBJECTS,
  type WorkspaceAction,
  type WorkspaceSubject,
} from '../../../base/kernel/permission.js';

/** A rule in the form of CASL's. Without `role` it applies to everyone who sees the workspace. */
export interface WorkspaceRule {
  readonly action: WorkspaceAction | readonly WorkspaceAction[];
  readonly subject: RuleSubject | readonly RuleSubject[];
  readonly role?: string;
  readonly conditions?: JsonObject;
  /** True: the rule forbids instead of allowing. */
  readonly inverted?: boolean;
  readonly fields?: readonly string[];
  /** The rule with the higher priority wins, then the later one; 0 by default. */
  readonly priority?: number;
  readonly reason?: string;
}

export const RULE_SUBJECTS = [...WORKSPACE_SUBJECTS, 'all'] as const;
type RuleSubject = WorkspaceSubject | 'all';

export const MAX_RULES = 100;
export const MAX_ROLES = 50;

/** A role's name starts with a letter or a digit, so that it cannot be `__proto__`. */
export const ROLE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Fields like `name` and `address.*`. One wildcard, at the end, because CASL makes a regular expression of it. */
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

/** The roles of every workspace, and their rules, which come before the workspace's own. */
export const BUILT_IN_ROLES: Readonly<
  Record<string, { readonly description: string; readonly rules: readonly WorkspaceRule[] }>
> = {
  owner: {
    description: 'May do everything, and decides who may do what.',
    rules: [{ action: 'manage', subject: 'all' }],
  },
  editor: {
    description: 'Works on everything in the workspace; does not delete it.',
    rules: [
      { action: ['read', 'update'], subject: 'workspaces' },
      { action: 'manage', subject: ['pages', 'files', 'apps', 'events', 'automations'] },
    ],
  },
};

export function isBuiltInRole(name: string): boolean {
  return Object.hasOwn(BUILT_IN_ROLES, name);
}
