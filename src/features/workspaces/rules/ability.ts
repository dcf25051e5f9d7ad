import { createMongoAbility, type MongoAbility, type MongoQuery, subject } from '@casl/ability';
import type { JsonObject } from '../../../base/kernel/json.js';
import {
  inWorkspace,
  WORKSPACE_SUBJECTS,
  type WorkspaceAction,
  type WorkspaceSubject,
} from '../../../base/kernel/permission.js';
import { conditionMatcher } from './condition-matcher.js';
import { type PlaceholderValues, resolved } from './conditions.js';
import { type Run, runOf, withoutRun } from './run-conditions.js';
import { listOf, type WorkspaceRule } from './workspace-rule.js';

/** A decision, with the reason of the rule that made it. */
interface Verdict {
  readonly allowed: boolean;
  readonly reason: string;
}

/** What a caller may do in one workspace, by its rules. */
export class WorkspaceAbility {
  private readonly ability: MongoAbility;
  private readonly run: Run;

  /** @param rules the rules that apply to the caller; of equal priority the later one wins. */
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

  /** False when no rule allows anything. */
  get grantsAnything(): boolean {
    return this.ability.rules.some(({ inverted }) => !inverted);
  }

  /**
   * Decides about this resource; without one, about at least one resource of the type. `field` narrows it to one
   * field.
   */
  ask(action: WorkspaceAction, type: WorkspaceSubject, resource?: JsonObject, field?: string): Verdict {
    // CASL stores the type in the object, and trusts one that is there already, so a sent one is dropped.
    const { __caslSubjectType__: _, ...own } = resource ?? {};
    const about =
      resource && subject(type, { ...inWorkspace(type, this.workspaceId), ...own, run: this.run });
    try {
      const rule = this.ability.relevantRuleFor(action, about ?? type, field);
      return rule === null
        ? { allowed: false, reason: 'No rule allows it.' }
        : { allowed: !rule.inverted, reason: rule.reason as string };
    } catch {
      // CASL throws when an operator cannot be applied to a value, such as $elemMatch to null. Then nothing is granted.
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
 * The rule in CASL's form, one for each subject. A rule that allows is restricted to the workspace. When a placeholder
 * has no value, a rule that allows is dropped, and a rule that forbids does so without conditions.
 */
function casl(rule: WorkspaceRule, workspaceId: string, values: PlaceholderValues): CaslRule[] {
  const { inverted = false, fields } = rule;
  const filled = resolved(rule.conditions ?? {}, values);
  if (filled === undefined && !inverted) return [];
  const conditions = filled && withoutRun(filled, runOf(values));
  // The rule applies to calls from another source.
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
