import type { AggregatePlan, Plan, QueryPlan } from '../question-planner.js';
import { DATES } from './choose.js';
import { type Draft, type Filter, isFigure } from './draft.js';
import type { Field } from './fields.js';
import type { Ground } from './ground.js';
import { groupPlan, limitOf, stepsOf } from './group-plan.js';
import { joinConditions, withValue } from './join-conditions.js';
import { refuseCalendarGroup, refusePurpose, refuseQuestion, refuseSomeOrAll } from './refusal.js';
import { settle } from './settle.js';

/** As many records as an answer holds. */
const MAX_RECORDS = 100;

/** Makes of what was read the one plan that it can mean, or refuses. Nothing that was read is left out of it. */
export function assemble(draft: Draft, ground: Ground): Plan {
  settle(draft, ground);
  if (draft.calendar !== undefined) refuseCalendarGroup(draft.calendar.text);
  const filter = filterOf(draft, ground);
  const subject = draft.head?.field;
  if (draft.groups.length > 0 || draft.having.length > 0 || ranksGroups(draft))
    return groupPlan(draft, filter);
  if (draft.figures.length > 0) return figures(draft, filter);
  if (draft.rank === undefined) refuseOfAll(draft);
  if (draft.count) {
    const { rank, shown, limit, sort, distinct: different } = draft;
    const more = shown.length + sort.length > 0 || (different && subject === undefined && !draft.entity);
    if (more || (rank ?? limit) !== undefined) refusePurpose(nameOf(draft));
    // "How many seats do we have" asks for a sum as much as for how many values there are.
    const countable = subject === undefined || different || ['text', 'list'].includes(subject.kind);
    if (!countable || (draft.head && !draft.head.plural && !different)) refusePurpose(nameOf(draft));
    if (subject === undefined && !draft.entity && filter === undefined) refuseQuestion(ground.fields);
    return subject === undefined
      ? { operation: 'count', ...(filter && { filter }) }
      : distinct(subject, filter);
  }
  if (subject !== undefined && draft.rank === undefined) return distinct(subject, filter);
  if (isDistinct(draft)) return distinct(draft.shown[0]!.field, filter);
  return query(draft, filter, ground);
}

/** All conditions, and that what has happened has a date. */
export function filterOf(draft: Draft, ground: Ground): Filter | undefined {
  const filter = joinConditions(draft, ground);
  const { event, conditions } = draft;
  const isDated = event === undefined || conditions.some(each => Object.hasOwn(each.filter, event.name));
  return isDated ? filter : withValue(filter, event);
}

/** "Which customers have not paid": records tell who has one unpaid order, not who has paid none. */
function refuseOfAll({ head, entity, conditions, ofAll }: Draft): void {
  if (head === undefined) return;
  const absent = conditions.some(({ filter }) => Object.values(filter).some(isAbsence));
  if (ofAll || (absent && !entity)) refuseSomeOrAll(head.field.name);
}

function isAbsence(test: unknown): boolean {
  if (test === null || test === false) return true;
  if (typeof test !== 'object') return false;
  const { $ne, $nin, $not, $in } = test as Readonly<Record<string, unknown>>;
  const excludes = ($ne ?? null) !== null || (Array.isArray($nin) && !$nin.includes(null));
  return excludes || $not !== undefined || (Array.isArray($in) && $in.includes(null));
}

function nameOf({ shown, head, rank }: Draft): string {
  return shown[0]?.text ?? head?.field.name ?? (rank?.by && 'name' in rank.by ? rank.by.name : 'top');
}

function ranksGroups({ rank, head, count, ask, figures: steps, entity }: Draft): boolean {
  if (head !== undefined && rank !== undefined) return true;
  return head !== undefined && steps.length > 0 && (entity || ask !== undefined) && !count;
}

/** Null is no value of a field, so it does not count among its values. */
function distinct(field: Field, filter: Filter | undefined): Plan {
  const asked = filter !== undefined && Object.hasOwn(filter, field.name);
  return { operation: 'distinct', field: field.name, filter: asked ? filter : withValue(filter, field) };
}

function figures(draft: Draft, filter: Filter | undefined): AggregatePlan {
  const { rank, sort, limit, head, distinct: different } = draft;
  if (rank ?? limit ?? head ?? (sort.length > 0 || different)) refusePurpose(nameOf(draft));
  const steps = stepsOf([...draft.figures, ...(draft.count ? [{ type: 'count' } as const] : [])]);
  return { operation: 'aggregate', steps, ...(filter && { filter }) };
}

/** "What are the different statuses", "list the countries": values; with the records named, records. */
function isDistinct({ ask, distinct: different, shown, entity, conditions, rank, sort }: Draft): boolean {
  if (shown.length !== 1 || rank !== undefined || sort.length > 0) return false;
  if (different) return true;
  const isNumber = shown[0]!.field.kind === 'number';
  const all = conditions.length === 0 || ask === 'list';
  return ask !== undefined && !entity && all && !isNumber && shown[0]!.plural;
}

function query(draft: Draft, filter: Filter | undefined, ground: Ground): QueryPlan {
  const { rank, shown, ask } = draft;
  if (draft.distinct) refusePurpose('different');
  if (ask === 'what' && shown.length === 0 && !draft.entity) refuseQuestion(ground.fields);
  if (ask === 'what' && filter === undefined && rank === undefined) refusePurpose(shown[0]?.text ?? 'what');
  if (!draft.entity && shown.length === 0 && filter === undefined && rank === undefined)
    refuseQuestion(ground.fields);
  const by = rank?.by;
  if (by !== undefined && isFigure(by) && by.field === undefined) refusePurpose('top');
  const key = by === undefined ? undefined : isFigure(by) ? by.field! : by;
  const sort = querySort(draft, key);
  // Ascending, records without a value would come first; the newest must have a date.
  const needsValue = key !== undefined && (rank!.direction === 1 || DATES.includes(key.kind));
  const kept = needsValue ? withValue(filter, key) : filter;
  return {
    operation: 'query',
    ...(kept && { filter: kept }),
    ...(sort && { sort }),
    ...(shown.length > 0 && { fields: [...new Set(shown.map(({ field }) => field.name))] }),
    limit: limitOf(rank?.limit ?? draft.limit, MAX_RECORDS) ?? MAX_RECORDS,
    ...(rank?.nth && { page: rank.nth }),
  };
}

function querySort(draft: Draft, key: Field | undefined): Record<string, 1 | -1> | undefined {
  if (key !== undefined && draft.sort.length > 0) refusePurpose('sorted');
  if (key !== undefined) return { [key.name]: draft.rank!.direction };
  if (draft.sort.length === 0) return undefined;
  return Object.fromEntries(
    draft.sort.map(({ field, direction }) => [
      isFigure(field) ? refusePurpose(field.type) : field.name,
      direction,
    ]),
  );
}
