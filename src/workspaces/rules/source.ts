import type { JsonObject } from '../../kernel/json.js';
import { conditionMatcher } from './condition-matcher.js';
import type { PlaceholderValues } from './placeholders.js';
import type { WorkspaceRule } from './workspace-rule.js';

/** Where a call comes from, as conditions name it (spec 5.5). It is no field of any resource: nobody can send it. */
const SOURCE = 'run.sourceWorkspaceId';

/** What conditions find under `run`: empty unless another workspace calls. */
export function runOf({ [SOURCE]: sourceWorkspaceId }: PlaceholderValues): { sourceWorkspaceId?: string } {
  return sourceWorkspaceId === undefined ? {} : { sourceWorkspaceId };
}

/** True for a rule whose conditions are about where a call comes from, as a field or as a placeholder. */
export function isAboutSource({ conditions }: WorkspaceRule): boolean {
  return JSON.stringify(conditions ?? {}).includes(SOURCE);
}

/**
 * The conditions without the one on the source; undefined when that does not hold, so that such a rule counts for no
 * question, not even one about nothing in particular.
 */
export function withoutSource(conditions: JsonObject, run: ReturnType<typeof runOf>): JsonObject | undefined {
  const { [SOURCE]: wanted, ...others } = conditions;
  if (wanted === undefined) return conditions;
  return conditionMatcher({ [SOURCE]: wanted } as never)({ run }) ? others : undefined;
}
