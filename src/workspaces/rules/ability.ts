import {
  buildMongoQueryMatcher,
  createMongoAbility,
  type MongoAbility,
  type MongoQuery,
  subject,
} from '@casl/ability';
import type { JsonObject } from '../../kernel/json.js';
import {
  inWorkspace,
  WORKSPACE_SUBJECTS,
  type WorkspaceAction,
  type WorkspaceSubject,
} from '../../kernel/permission.js';
import { type PlaceholderValues, resolved } from './conditions.js';
import { listOf, type WorkspaceRule } from './workspace-rule.js';

/** A decision, with the reason of the rule that made it. */
interface Verdict {
  readonly allowed: boolean;
  readonly reason: string;
}

/** What a caller may do in one workspace, by its rules. */
export class WorkspaceAbility {
  private readonly ability: MongoAbility;
  private readonly run: { readonly sourceWorkspaceId?: string };

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
  const conditions = filled && withoutSource(filled, runOf(values));
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

/** The source of a call in conditions (spec 5.5). No resource has this field, so that no client can send it. */
const SOURCE = 'run.sourceWorkspaceId';

/** The `run` object that conditions test: empty unless another workspace calls. */
function runOf({ [SOURCE]: sourceWorkspaceId }: PlaceholderValues): { sourceWorkspaceId?: string } {
  return sourceWorkspaceId === undefined ? {} : { sourceWorkspaceId };
}

/** True for a rule whose conditions name the source of a call, as a field or as a placeholder. */
export function isAboutSource({ conditions }: WorkspaceRule): boolean {
  return JSON.stringify(conditions ?? {}).includes(SOURCE);
}

/**
 * The conditions without the one on the source; undefined when that one does not hold. CASL ignores conditions when no
 * resource is given, so this one must be tested before.
 */
function withoutSource(conditions: JsonObject, run: ReturnType<typeof runOf>): JsonObject | undefined {
  const { [SOURCE]: wanted, ...others } = conditions;
  if (wanted === undefined) return conditions;
  return conditionMatcher({ [SOURCE]: wanted } as never)({ run }) ? others : undefined;
}

type Queries = readonly unknown[];
type Parsing = { readonly parse: (query: unknown) => unknown };
type Matching = { readonly interpret: (condition: unknown, resource: unknown) => boolean };

/** A logical condition, as CASL's parser returns it. */
interface Compound {
  readonly value: Queries;
}

function compound(operator: string) {
  return {
    type: 'compound',
    parse: (_: unknown, queries: Queries, { parse }: Parsing) => ({
      operator,
      value: queries.map(query => parse(query)),
    }),
  };
}

const some = ({ value }: Compound, resource: unknown, { interpret }: Matching) =>
  value.some(condition => interpret(condition, resource));
const every = ({ value }: Compound, resource: unknown, { interpret }: Matching) =>
  value.every(condition => interpret(condition, resource));

/** Matches MongoDB queries with CASL's operators and the logical ones, which CASL does not include. */
const conditionMatcher = buildMongoQueryMatcher(
  { $and: compound('every'), $or: compound('some'), $nor: compound('none') } as never,
  {
    every,
    some,
    none: (condition: Compound, resource: unknown, context: Matching) => !some(condition, resource, context),
  } as never,
);
