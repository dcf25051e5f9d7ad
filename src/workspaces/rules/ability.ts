import { createMongoAbility, type MongoAbility, type MongoQuery, subject } from '@casl/ability';
import type { JsonObject } from '../../kernel/json.js';
import {
  inWorkspace,
  WORKSPACE_SUBJECTS,
  type WorkspaceAction,
  type WorkspaceSubject,
} from '../../kernel/workspace-rule.js';
import { conditionMatcher } from './condition-matcher.js';
import { type PlaceholderValues, resolved } from './placeholders.js';
import { runOf, withoutSource } from './source.js';
import { listOf, type WorkspaceRule } from './workspace-rule.js';

/** An answer, with the reason of the rule that decided. */
export interface Verdict {
  readonly allowed: boolean;
  readonly reason: string;
}

/** What somebody may do in one workspace; asked as often as needed. */
export class WorkspaceAbility {
  private readonly ability: MongoAbility;
  private readonly run: { readonly sourceWorkspaceId?: string };

  /** @param rules those that are for the caller, of equal priority the later one wins. */
  constructor(
    rules: readonly WorkspaceRule[],
    private readonly workspaceId: string,
    values: PlaceholderValues,
  ) {
    this.run = runOf(values);
    this.ability = createMongoAbility(
      [...rules]
        .sort((one, other) => (one.priority ?? 0) - (other.priority ?? 0))
        .flatMap(rule => casl(rule, workspaceId, values)),
      { conditionsMatcher: conditionMatcher },
    );
  }

  /** False when no rule allows anything at all. */
  get grantsAnything(): boolean {
    return this.ability.rules.some(({ inverted }) => !inverted);
  }

  /** About this resource, or, without one, about some resource of the kind; with `field`, about that field. */
  ask(action: WorkspaceAction, type: WorkspaceSubject, resource?: JsonObject, field?: string): Verdict {
    // CASL writes the type onto the object it is given, and believes one that is there already.
    const { __caslSubjectType__: _, ...own } = resource ?? {};
    const about =
      resource && subject(type, { ...inWorkspace(type, this.workspaceId), ...own, run: this.run });
    try {
      const rule = this.ability.relevantRuleFor(action, about ?? type, field);
      return rule === null
        ? { allowed: false, reason: 'No rule allows it.' }
        : { allowed: !rule.inverted, reason: rule.reason as string };
    } catch {
      // CASL throws where a condition meets a value of another shape, like $elemMatch a null: nothing is granted then.
      return { allowed: false, reason: 'A condition cannot be applied to this resource.' };
    }
  }
}

interface CaslRule {
  action: string[];
  subject: string;
  inverted: boolean;
  reason: string;
  conditions?: MongoQuery;
  fields?: string[];
}

/**
 * A rule as CASL takes it, one for each subject. What allows is always restricted to the workspace, and never counts
 * with a placeholder that has no value; what forbids then forbids whatever its conditions are.
 */
function casl(rule: WorkspaceRule, workspaceId: string, values: PlaceholderValues): CaslRule[] {
  const { inverted = false, fields } = rule;
  const filled = resolved(rule.conditions ?? {}, values);
  if (filled === undefined && !inverted) return [];
  const conditions = filled && withoutSource(filled, runOf(values));
  // It is about calls from elsewhere.
  if (filled !== undefined && conditions === undefined) return [];
  const subjects = listOf(rule.subject).flatMap(each => (each === 'all' ? WORKSPACE_SUBJECTS : [each]));
  return subjects.map(each => {
    const all = inverted ? conditions : { $and: [inWorkspace(each, workspaceId), conditions ?? {}] };
    return {
      action: [...listOf(rule.action)],
      subject: each,
      inverted,
      reason: rule.reason ?? defaultReason(rule),
      ...(all !== undefined && Object.keys(all).length > 0 && { conditions: all as MongoQuery }),
      ...(fields !== undefined && { fields: [...fields] }),
    };
  });
}

function defaultReason({ role, inverted }: WorkspaceRule): string {
  const who = role === undefined ? 'A rule' : `The role ${role}`;
  return `${who} ${inverted ? 'forbids' : 'allows'} it.`;
}
