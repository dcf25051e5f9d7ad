import type { AggregatePlan, CountPlan } from '../question-planner.js';
import { filterOf } from './assemble.js';
import { type Draft, type Figure, type Filter, isFigure } from './draft.js';
import type { Field } from './fields.js';
import type { Ground } from './ground.js';
import { stepsOf } from './group-plan.js';
import { refusePurpose } from './refusal.js';
import { settle } from './settle.js';

/** A count or figures of all records that a filter keeps: what several reads of one plan may be. */
export type FigurePlan = CountPlan | AggregatePlan;

export function figurePlan(figures: readonly Figure[], filter: Filter | undefined): FigurePlan {
  const kept = filter && { filter };
  if (figures.length === 1 && figures[0]!.type === 'count' && figures[0]!.field === undefined)
    return { operation: 'count', ...kept };
  return { operation: 'aggregate', steps: stepsOf(figures), ...kept };
}

/** What a draft counts or computes, and of which records. Refuses a draft that asks for anything else. */
export function figuresOf(
  draft: Draft,
  ground: Ground,
): { readonly figures: readonly Figure[]; readonly filter: Filter | undefined } {
  settle(draft, ground);
  const by = draft.rank?.by;
  const ranked = by === undefined ? [] : [asFigure(by)];
  const all = [...(draft.count ? [COUNT] : []), ...draft.figures, ...ranked];
  refuseMore(draft);
  return { figures: all.length > 0 ? all : [COUNT], filter: filterOf(draft, ground) };
}

const COUNT: Figure = { type: 'count' };

function asFigure(by: Field | Figure): Figure {
  return isFigure(by) ? by : refusePurpose(by.name);
}

function refuseMore(draft: Draft): void {
  const { shown, sort, groups, having, head, limit, distinct, ofAll } = draft;
  const more =
    shown[0]?.text ?? sort[0]?.field ?? groups[0]?.name ?? having[0]?.figure.type ?? head?.field.name;
  if (more !== undefined) refusePurpose(typeof more === 'string' ? more : 'sorted');
  if (limit !== undefined || distinct || ofAll) refusePurpose('…');
}
