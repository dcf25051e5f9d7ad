import type { JsonObject } from '../../base/kernel/json.js';
import { type CollectionRight, roleReaches } from '../../base/kernel/permission.js';
import type { Principal } from '../../base/kernel/principal.js';
import {
  conditionsOf,
  type ExplainedAction,
  resolvedRule,
  storedRule,
} from '../../engine/rules/explained-rule.js';
import { includes } from '../../engine/rules/field-names.js';
import type { FieldNames, Rule } from '../../engine/rules/grant.js';
import { listedFields } from '../../engine/rules/reached-fields.js';
import { parsedOf } from '../../engine/rules/restrictions.js';
import { resolveRule } from '../../engine/rules/rule.js';
import { callerVariables } from '../collections/caller-grants.js';
import type { BoundCollection } from '../collections/collection.entity.js';
import { tooManyRules } from '../collections/collection-refusals.js';
import { type CallerRole, callerRole, missingRight } from '../collections/collection-rights.js';
import { type AccessPath, callerPaths } from '../collections/collection-role.js';
import type { ExplainedGrantView, RecordExplanationView } from './record-explanation.dto.js';

const WITHOUT_PARTS = {};

/** A grant that counts for the action. Numbers are positions in `rules`. */
interface ExplainedGrant {
  readonly via: string;
  readonly role: string;
  readonly stored: unknown;
  readonly rule: number;
  readonly conditions: readonly { readonly condition: JsonObject; readonly at: number }[];
  /** Undefined: all. */
  readonly fields: FieldNames | undefined;
}

/** The grants of a principal that count for an action, and all their rules, which one statement evaluates. */
export class ExplainedGrants {
  readonly rules: Rule[] = [];
  /** Positions of the rules that say which records the principal sees. */
  private readonly seeing: number[] = [];
  private readonly grants: ExplainedGrant[] = [];

  private constructor(
    private readonly caller: CallerRole,
    private readonly action: ExplainedAction,
    now: Date,
  ) {
    const { principal, membership, collection } = caller;
    const values = callerVariables(principal, membership, now);
    for (const path of callerPaths(principal, membership, collection)) {
      const { grant: parts = WITHOUT_PARTS, role } = path;
      const anonymous = path.path === 'anonymous';
      const parsed = parsedOf(parts, anonymous);
      this.seeing.push(this.added(resolveRule(parsed.read, values)));
      if (role === undefined || (action !== 'read' && !roleReaches(role, 'editor'))) continue;
      const stored = storedRule(parts, action, anonymous);
      this.grants.push({
        via: nameOf(path, membership.orgSlug),
        role,
        stored,
        rule: this.added(resolveRule(parsed[action], values)),
        conditions: conditionsOf(stored).map(condition => ({
          condition,
          at: this.added(resolvedRule(condition, values)),
        })),
        fields: fieldsOf(parsed, action),
      });
    }
  }

  /** Undefined for a principal that cannot see the collection. Throws 403 `TooManyRules`. */
  static of(
    principal: Principal,
    collection: BoundCollection,
    action: ExplainedAction,
    now: Date,
  ): ExplainedGrants | undefined {
    const caller = callerRole(principal, collection, now);
    if (caller?.hasTooManyRules) throw tooManyRules();
    return caller && new ExplainedGrants(caller, action, now);
  }

  /** What follows for a record. `held`: which of the rules hold. `names`: the fields that an insert sends. */
  decided(held: readonly boolean[], names: readonly string[]) {
    const { action, caller } = this;
    const right: CollectionRight = action === 'read' ? 'read' : 'write';
    const sees = this.seeing.some(at => held[at]);
    const allowing = this.grants.filter(
      ({ rule, fields }) => held[rule] && names.every(name => includes(fields, name)) && allowsSome(fields),
    );
    const isReached = action === 'create' || sees;
    const allowed = isReached && allowing.length > 0 && missingRight(caller, right) === undefined;
    const own = (grant: ExplainedGrant) => ({
      via: grant.via,
      role: grant.role,
      fields: listedFields(grant.fields, Object.keys(caller.collection.columns)),
    });
    const whole = (grant: ExplainedGrant): ExplainedGrantView => ({
      ...own(grant),
      rule: grant.stored,
      holds: held[grant.rule] === true,
      conditions: grant.conditions.map(({ condition, at }) => ({ condition, holds: held[at] === true })),
    });
    return {
      sees,
      view: (): RecordExplanationView => ({ allowed, grants: this.grants.map(whole) }),
      ownView: (): RecordExplanationView => ({ allowed, grants: allowing.map(own) }),
    };
  }

  private added(rule: Rule): number {
    return this.rules.push(rule) - 1;
  }
}

function fieldsOf(
  { shows, writes }: { readonly shows: FieldNames | undefined; readonly writes: FieldNames | undefined },
  action: ExplainedAction,
): FieldNames | undefined {
  if (action === 'read') return shows;
  return action === 'delete' ? undefined : writes;
}

/** False for a grant that lets nobody write any field. */
function allowsSome(fields: FieldNames | undefined): boolean {
  return fields === undefined || 'without' in fields || fields.only.size > 0;
}

function nameOf({ path, group }: AccessPath, orgSlug: string): string {
  return group === undefined ? path : `${path}:${orgSlug}:${group}`;
}
