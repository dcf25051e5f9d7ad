import type { Context } from '../context.js';
import { type Draft, isFigure } from '../draft.js';
import { DATES, type Field } from '../fields/fields.js';
import type { AggregatePlan, Filter, Plan, QueryPlan, Sort } from '../plan.js';
import { refuse } from '../refusal.js';
import { complete } from './complete.js';
import { filterOf, withValue } from './filters.js';
import { groupPlan, limitOf, stepsOf } from './groups.js';

/** The maximum number of records in an answer. */
const MAX_RECORDS = 100;

/** Makes the one plan that the draft can mean, or refuses the question. Nothing in the draft is ignored. */
export function plainPlan(draft: Draft, context: Context): Plan {
  complete(draft, context);
  const { calendar, groups, having, rank, shown, count } = draft;
  if (calendar !== undefined) refuse('calendarGroup', calendar.text);
  const filter = filterOf(draft, context);
  const subject = draft.head?.field;
  if (groups.length > 0 || having.length > 0 || ranksGroups(draft)) return groupPlan(draft, filter);
  if (draft.figures.length > 0) return figures(draft, filter);
  if (rank === undefined) refuseOfAll(draft);
  if (count) return counted(draft, filter, context);
  if (subject !== undefined && rank === undefined) return distinct(subject, filter);
  if (isDistinct(draft)) return distinct(shown[0]!.field, filter);
  return query(draft, filter, context);
}

function counted(draft: Draft, filter: Filter | undefined, context: Context): Plan {
  const { rank, shown, limit, sort, distinct: different, head, entity } = draft;
  const subject = head?.field;
  const more = shown.length + sort.length > 0 || (different && subject === undefined && !entity);
  // "How many seats do we have" can ask for a sum or for the number of different values.
  const countable = subject === undefined || different || ['text', 'list'].includes(subject.kind);
  const isOne = head !== undefined && !head.plural && !different;
  if (more || (rank ?? limit) !== undefined || !countable || isOne) refuse('purpose', nameOf(draft));
  if (subject === undefined && !entity && filter === undefined) refuse('question', '', context.fields);
  return subject === undefined
    ? { operation: 'count', ...(filter && { filter }) }
    : distinct(subject, filter);
}

/** "Which customers have not paid": the records show who has an unpaid order, not who has paid none. */
function refuseOfAll({ head, entity, conditions, ofAll }: Draft): void {
  if (head === undefined) return;
  const absent = conditions.some(({ filter }) => Object.values(filter).some(isAbsence));
  if (ofAll || (absent && !entity)) refuse('someOrAll', head.field.name);
}

function isAbsence(test: unknown): boolean {
  if (test === null || test === false) return true;
  if (typeof test !== 'object') return false;
  const { $ne, $nin, $not, $in } = test as Filter;
  const excludes = ($ne ?? null) !== null || (Array.isArray($nin) && !$nin.includes(null));
  return excludes || $not !== undefined || (Array.isArray($in) && $in.includes(null));
}

function nameOf({ shown, head, rank }: Draft): string {
  return shown[0]?.text ?? head?.field.name ?? (rank?.by && 'name' in rank.by ? rank.by.name : 'top');
}

function ranksGroups({ rank, head, count, ask, figures: steps, entity }: Draft): boolean {
  if (head === undefined) return false;
  return rank !== undefined || (steps.length > 0 && (entity || ask !== undefined) && !count);
}

/** Null is not a value of a field, so it does not count among its values. */
function distinct(field: Field, filter: Filter | undefined): Plan {
  const asked = filter !== undefined && Object.hasOwn(filter, field.name);
  return { operation: 'distinct', field: field.name, filter: asked ? filter : withValue(filter, field) };
}

function figures(draft: Draft, filter: Filter | undefined): AggregatePlan {
  const { rank, sort, limit, head, distinct: different } = draft;
  if (rank ?? limit ?? head ?? (sort.length > 0 || different)) refuse('purpose', nameOf(draft));
  const steps = stepsOf([...draft.figures, ...(draft.count ? [{ type: 'count' } as const] : [])]);
  return { operation: 'aggregate', steps, ...(filter && { filter }) };
}

/**
 * "What are the different statuses" and "list the countries" ask for values. If the question names the records, it asks
 * for records.
 */
function isDistinct({ ask, distinct: different, shown, entity, conditions, rank, sort }: Draft): boolean {
  const [only, ...others] = shown;
  if (only === undefined || others.length > 0 || rank !== undefined || sort.length > 0) return false;
  if (different) return true;
  const all = conditions.length === 0 || ask === 'list';
  return ask !== undefined && !entity && all && only.field.kind !== 'number' && only.plural;
}

function query(draft: Draft, filter: Filter | undefined, { fields }: Context): QueryPlan {
  const { rank, shown, ask, entity } = draft;
  if (draft.distinct) refuse('purpose', 'different');
  const isIdle = shown.length === 0 && !entity;
  const isOpen = filter === undefined && rank === undefined;
  if (isIdle && (ask === 'what' || isOpen)) refuse('question', '', fields);
  if (ask === 'what' && isOpen) refuse('purpose', shown[0]?.text ?? 'what');
  const by = rank?.by;
  const key = by !== undefined && isFigure(by) ? (by.field ?? refuse('purpose', 'top')) : by;
  const sort = sortOf(draft, key);
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

function sortOf({ rank, sort }: Draft, key: Field | undefined): Sort | undefined {
  if (key !== undefined && sort.length > 0) refuse('purpose', 'sorted');
  if (key !== undefined) return { [key.name]: rank!.direction };
  const sorted = sort.map(({ field, direction }) => {
    if (isFigure(field)) refuse('purpose', field.type);
    return [field.name, direction] as const;
  });
  return sorted.length === 0 ? undefined : Object.fromEntries(sorted);
}
