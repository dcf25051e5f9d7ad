import type { Context } from '../context.js';
import { type Draft, type Figure, isFigure } from '../draft.js';
import type { Field } from '../fields/fields.js';
import type { AggregatePlan, AggregateStep, Counting, Filter, Sort } from '../plan.js';
import { refuse } from '../refusal.js';
import { isWord } from '../words/things.js';
import { complete } from './complete.js';
import { allOf, filterOf, withValue } from './filters.js';

/** The maximum number of groups in an answer. */
const MAX_GROUPS = 1_000;
/** The maximum number of fields to group by. */
const MAX_FIELDS = 5;
const COUNT: Figure = { type: 'count' };

/** Figures by the values of fields: those named with "by", and the subject of the question. */
export function groupPlan(draft: Draft, filter: Filter | undefined): AggregatePlan {
  const { rank, having } = draft;
  if (rank !== undefined && draft.groups.length > 0) refuse('bestOfEach', draft.groups[0]!.name);
  const groups = groupsOf(draft);
  // Ranking groups by a field means ranking them by its sum.
  const key = rank?.by && (isFigure(rank.by) ? rank.by : { type: 'sum' as const, field: rank.by });
  const steps = stepsOf(figuresOf(draft, key), groups);
  const sort = sortOf(draft, steps, groups, key);
  const limit = rank && limitOf(rank.limit, MAX_GROUPS);
  const tests = having.map(({ figure, test }) => ({ [outputOf(figure, steps)]: test }));
  // Ascending, groups without any value would come first.
  if (key && rank?.direction === 1 && key.type !== 'count')
    tests.push({ [outputOf(key, steps)]: { $ne: null } });
  // A ranking does not contain the group without a value.
  const named = rank !== undefined || having.length > 0 ? groups : [];
  const unnamed = named.filter(({ name }) => filter === undefined || !Object.hasOwn(filter, name));
  const kept = unnamed.reduce<Filter | undefined>((all, field) => withValue(all, field), filter);
  return {
    operation: 'aggregate',
    steps,
    group_by: groups.length === 1 ? groups[0]!.name : groups.map(({ name }) => name),
    ...(kept && { filter: kept }),
    ...(sort && { sort }),
    ...(limit !== undefined && { limit }),
    ...(tests.length > 0 && { having: allOf(tests) }),
  };
}

/** The fields to group by. Refuses the question if it is not certain that it asks for groups. */
function groupsOf(draft: Draft): Field[] {
  const { rank, head, having, groups, shown } = draft;
  const subject = head?.field ?? (groups.length === 0 ? shown[0]?.field : undefined);
  const all = [...new Set([...(subject ? [subject] : []), ...groups])];
  const asksFigure = draft.count || draft.figures.length > 0 || rank !== undefined || having.length > 0;
  // "Salary by department" does not say which figure; "list orders by customer" does not say whether to sort or to
  // count.
  if (!asksFigure && (!draft.entity || draft.ask === 'list')) refuse('purpose', `by ${all[0]!.name}`);
  // "How many customers by country" asks for the number of different customers in each country, which one plan cannot
  // compute.
  if (head !== undefined && draft.count && groups.length > 0) refuse('purpose', head.field.name);
  if (draft.distinct || (draft.limit !== undefined && rank === undefined)) refuse('purpose', all[0]!.name);
  // Grouping by a list field uses whole lists, although people expect a group for each item.
  const whole = all.find(({ kind }) => kind === 'list' || kind === 'other');
  if (whole !== undefined || all.length === 0 || all.length > MAX_FIELDS)
    refuse('purpose', `by ${whole?.name ?? '…'}`);
  return all;
}

function figuresOf({ count, head, figures, sort, having }: Draft, key: Figure | undefined): Figure[] {
  const all = [
    ...(count && head === undefined ? [COUNT] : []),
    ...figures,
    ...(key ? [key] : []),
    ...sort.map(({ field }) => field).filter(isFigure),
    ...having.map(({ figure }) => figure),
  ];
  const isSame = (one: Figure) => (other: Figure) => one.type === other.type && one.field === other.field;
  const different = all.filter((one, index) => all.findIndex(isSame(one)) === index);
  return different.length > 0 ? different : [COUNT];
}

/** Gives each output a name that no other output and no group has. */
export function stepsOf(all: readonly Figure[], groups: readonly Field[] = []): AggregateStep[] {
  return all.map(({ type, field }) => {
    // A sum of percentages has no meaning.
    if (type === 'sum' && field?.words.some(word => isWord(word, 'percent')))
      refuse('purpose', `sum ${field.name}`);
    const name = field === undefined ? type : `${type}_${field.name}`;
    const taken = groups.some(group => group.name === name);
    const output = taken ? `${name}_of_group` : name;
    return { type, ...(field && { input_field: field.name }), output_field: output };
  });
}

function outputOf({ type, field }: Figure, steps: readonly AggregateStep[]): string {
  return steps.find(step => step.type === type && step.input_field === field?.name)!.output_field;
}

function sortOf(
  draft: Draft,
  steps: readonly AggregateStep[],
  groups: readonly Field[],
  key?: Figure,
): Sort | undefined {
  if (key !== undefined && draft.sort.length > 0) refuse('purpose', 'sorted');
  if (key !== undefined) return { [outputOf(key, steps)]: draft.rank!.direction };
  const sorted = draft.sort.map(({ field, direction }) => {
    if (isFigure(field)) return [outputOf(field, steps), direction] as const;
    if (groups.includes(field)) return [field.name, direction] as const;
    const step = steps.find(each => each.input_field === field.name);
    return [step?.output_field ?? refuse('purpose', field.name), direction] as const;
  });
  return sorted.length === 0 ? undefined : Object.fromEntries(sorted);
}

/** The limit, if it is allowed. */
export function limitOf(limit: number | undefined, most: number): number | undefined {
  const fits = limit === undefined || (Number.isInteger(limit) && limit >= 1 && limit <= most);
  return fits ? limit : refuse('limit', String(most));
}

/** A count or figures of all records that a filter keeps. */
export function figurePlan(figures: readonly Figure[], filter: Filter | undefined): Counting {
  const kept = filter && { filter };
  const [only, ...others] = figures;
  const isCount = others.length === 0 && only!.type === 'count' && only!.field === undefined;
  if (isCount) return { operation: 'count', ...kept };
  return { operation: 'aggregate', steps: stepsOf(figures), ...kept };
}

/** What a draft counts or computes, and for which records. Refuses a draft that asks for anything else. */
export function countedBy(draft: Draft, context: Context) {
  complete(draft, context);
  const { rank, shown, sort, groups, having, head, limit, distinct, ofAll } = draft;
  const by = rank?.by;
  if (by !== undefined && !isFigure(by)) refuse('purpose', by.name);
  const all = [...(draft.count ? [COUNT] : []), ...draft.figures, ...(by ? [by] : [])];
  const more =
    shown[0]?.text ?? (sort[0] && 'sorted') ?? groups[0]?.name ?? having[0]?.figure.type ?? head?.field.name;
  if (more !== undefined) refuse('purpose', more);
  if (limit !== undefined || distinct || ofAll) refuse('purpose', '…');
  return { figures: all.length > 0 ? all : [COUNT], filter: filterOf(draft, context) };
}
