import { isObject, type JsonObject } from '../../values/json.js';
import { pruned } from '../find/model/edit.js';
import { fromFilter } from '../find/model/from-filter.js';
import type { Group } from '../find/model/model.js';
import { type Problem, problemsOf } from '../find/model/problems.js';
import { toFilter } from '../find/model/to-filter.js';

export const RULED_ACTIONS = ['read', 'create', 'update', 'becomes', 'delete'] as const;
export type RuledAction = (typeof RULED_ACTIONS)[number];

/** What a rule says: nothing (what the service then assumes), true, false, or a filter. */
export const RULE_MODES = ['absent', 'always', 'never', 'filter'] as const;
export type RuleMode = (typeof RULE_MODES)[number];

export interface RuleDraft {
  readonly mode: RuleMode;
  readonly model: Group;
}

export const FIELD_MODES = ['all', 'only', 'without'] as const;

export interface FieldsDraft {
  readonly mode: (typeof FIELD_MODES)[number];
  readonly names: readonly string[];
}

/** The rules and fields of a grant while somebody edits them. Without a rule for reading there are none. */
export interface GrantDraft {
  readonly rules: Readonly<Record<RuledAction, RuleDraft>>;
  readonly read: FieldsDraft;
  readonly write: FieldsDraft;
}

/** The parts of a grant as the service has them. */
export interface GrantParts {
  readonly rules?: object | null | undefined;
  readonly fields?: object | null | undefined;
}

const EMPTY: Group = { kind: 'group', mode: 'all', items: [] };

export function draftOf({ rules, fields }: GrantParts): GrantDraft {
  const of = (action: RuledAction) => ruleDraft((rules as JsonObject | null | undefined)?.[action]);
  const lists = (fields ?? {}) as { read?: object; write?: object };
  return {
    rules: {
      read: of('read'),
      create: of('create'),
      update: of('update'),
      becomes: of('becomes'),
      delete: of('delete'),
    },
    read: fieldsDraft(lists.read),
    write: fieldsDraft(lists.write),
  };
}

function ruleDraft(rule: unknown): RuleDraft {
  if (isObject(rule)) return { mode: 'filter', model: fromFilter(rule) };
  const mode = rule === undefined ? 'absent' : rule === true ? 'always' : 'never';
  return { mode, model: EMPTY };
}

function fieldsDraft(list: object | undefined): FieldsDraft {
  const entries = Object.entries(list ?? {});
  if (entries.length === 0) return { mode: 'all', names: [] };
  return { mode: entries[0]?.[1] === 1 ? 'only' : 'without', names: entries.map(([name]) => name) };
}

/** The rule as the service takes it; undefined for none, and for one that is not complete. */
export function ruleOf({ mode, model }: RuleDraft): boolean | JsonObject | undefined {
  if (mode === 'absent') return undefined;
  if (mode !== 'filter') return mode === 'always';
  return isComplete({ mode, model }) ? toFilter(pruned(model)) : undefined;
}

export function problemsOfRule({ mode, model }: RuleDraft): ReadonlyMap<string, Problem> {
  return mode === 'filter' ? problemsOf(model) : new Map();
}

function isComplete(draft: RuleDraft): boolean {
  if (draft.mode !== 'filter') return true;
  return pruned(draft.model).items.length > 0 && problemsOfRule(draft).size === 0;
}

/** False while a rule has no condition, or one that is not complete, or a list of fields is empty. */
export function isDraftComplete({ rules, read, write }: GrantDraft): boolean {
  const counted = rules.read.mode === 'absent' ? [] : RULED_ACTIONS.map(action => rules[action]);
  return (
    counted.every(isComplete) && [read, write].every(({ mode, names }) => mode === 'all' || names.length > 0)
  );
}

/** What is sent: null removes a part. */
export function partsOf({ rules, read, write }: GrantDraft): {
  rules: JsonObject | null;
  fields: JsonObject | null;
} {
  const named = RULED_ACTIONS.flatMap(action => {
    const rule = ruleOf(rules[action]);
    return rule === undefined ? [] : [[action, rule] as const];
  });
  const lists = Object.entries({ read, write }).flatMap(([name, list]) =>
    list.mode === 'all' ? [] : [[name, projection(list)] as const],
  );
  return {
    rules: rules.read.mode === 'absent' ? null : Object.fromEntries(named),
    fields: lists.length === 0 ? null : Object.fromEntries(lists),
  };
}

function projection({ mode, names }: FieldsDraft): JsonObject {
  return Object.fromEntries(names.map(name => [name, mode === 'only' ? 1 : 0]));
}

/** The variables that a rule may name. */
export const VARIABLES = [
  ...['caller.id', 'user.id', 'user.email', 'user.groups', 'user.role', 'org.slug', 'agent.id', 'key.id'],
  ...['now', 'today'],
].map(name => `\${${name}}`);

/** True for a rule whose result depends on who asks. */
export function hasVariables(rule: unknown): boolean {
  return VARIABLES.some(name => JSON.stringify(rule ?? null).includes(JSON.stringify(name)));
}
