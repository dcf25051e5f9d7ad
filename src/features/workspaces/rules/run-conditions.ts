import type { JsonObject, JsonValue } from '../../../base/kernel/json.js';
import { conditionMatcher } from './condition-matcher.js';
import type { PlaceholderValues } from './conditions.js';
import type { WorkspaceRule } from './workspace-rule.js';

/** The source of a call in conditions (spec 5.5). No resource has this field, so that no client can send it. */
const SOURCE = 'run.sourceWorkspaceId';

/** The `run` object that conditions test: empty unless another workspace calls. */
export interface Run {
  readonly sourceWorkspaceId?: string;
}

export function runOf({ [SOURCE]: sourceWorkspaceId }: PlaceholderValues): Run {
  return sourceWorkspaceId === undefined ? {} : { sourceWorkspaceId };
}

/** True for a rule whose conditions name the source of a call, as a field or as a placeholder. */
export function isAboutSource({ conditions = {} }: Pick<WorkspaceRule, 'conditions'>): boolean {
  return Object.entries(conditions).some(([name, condition]) =>
    isLogical(name)
      ? queriesOf(condition).some(query => isAboutSource({ conditions: query }))
      : name === SOURCE || JSON.stringify(condition).includes(`\${${SOURCE}}`),
  );
}

/**
 * The conditions without those on the run, at any level: `{}` when the others are none, undefined when the conditions
 * hold for no resource. CASL ignores conditions when no resource is given, so these must be tested before.
 */
export function withoutRun(conditions: JsonObject, run: Run): JsonObject | undefined {
  const left: [string, JsonValue][] = [];
  for (const [name, condition] of Object.entries(conditions)) {
    if (name === 'run' || name.startsWith('run.')) {
      if (!conditionMatcher({ [name]: condition } as never)({ run })) return undefined;
    } else if (isLogical(name)) {
      const queries = openQueries(name, queriesOf(condition), run);
      if (queries === undefined) return undefined;
      if (queries.length > 0) left.push([name, queries]);
    } else {
      left.push([name, condition]);
    }
  }
  return Object.fromEntries(left);
}

type Logical = '$and' | '$or' | '$nor';

function isLogical(name: string): name is Logical {
  return name === '$and' || name === '$or' || name === '$nor';
}

/** Stored conditions have been checked: a logical operator has a list of queries. */
function queriesOf(condition: JsonValue): JsonObject[] {
  return condition as JsonObject[];
}

/** The queries that the resource decides: none when the operator holds anyway, undefined when it cannot hold. */
function openQueries(operator: Logical, queries: JsonObject[], run: Run): JsonObject[] | undefined {
  const possible = queries.map(query => withoutRun(query, run)).filter(query => query !== undefined);
  const open = possible.filter(query => Object.keys(query).length > 0);
  const oneHolds = open.length < possible.length;
  if (operator === '$and') return possible.length < queries.length ? undefined : open;
  if (operator === '$nor') return oneHolds ? undefined : open;
  if (oneHolds) return [];
  return open.length === 0 ? undefined : open;
}
