import type { AggregatePlan, AggregateStep } from '../question-planner.js';
import { type Draft, type Figure, type Filter, isFigure } from './draft.js';
import type { Field } from './fields.js';
import { allOf, withGroups } from './join-conditions.js';
import { refuseBestOfEach, refuseLimit, refusePurpose } from './refusal.js';

/** As many groups as an answer holds. */
const MAX_GROUPS = 1_000;

/** Figures by the values of fields: of those said with "by", and of what the question is about. */
export function groupPlan(draft: Draft, filter: Filter | undefined): AggregatePlan {
  const { rank, having } = draft;
  if (rank !== undefined && draft.groups.length > 0) refuseBestOfEach(draft.groups[0]!.name);
  const groups = groupsOf(draft);
  const key = rank && asFigure(rank.by!);
  const steps = stepsOf(figuresOf(draft, key), groups);
  const sort = sortOf(draft, steps, groups, key);
  const limit = rank && limitOf(rank.limit, MAX_GROUPS);
  const tests = [
    ...having.map(({ figure, test }) => ({ [outputOf(figure, steps)]: test })),
    // Ascending, groups without any value would come first.
    ...(key && rank?.direction === 1 && key.type !== 'count'
      ? [{ [outputOf(key, steps)]: { $ne: null } }]
      : []),
  ];
  const kept = rank !== undefined || having.length > 0 ? withGroups(groups, filter) : filter;
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

/** The fields to group by, once it is sure that groups are what is asked for. */
function groupsOf(draft: Draft): Field[] {
  const { rank, head, having, groups, shown } = draft;
  const subject = head?.field ?? (groups.length === 0 ? shown[0]?.field : undefined);
  const all = [...new Set([...(subject ? [subject] : []), ...groups])];
  const asksFigure = draft.count || draft.figures.length > 0 || rank !== undefined || having.length > 0;
  // "Salary by department" says not which figure, "list orders by customer" whether to sort or to count.
  if (!asksFigure && (!draft.entity || draft.ask === 'list')) refusePurpose(`by ${all[0]!.name}`);
  // "How many customers by country" counts the different customers of each: one plan cannot.
  if (head !== undefined && draft.count && groups.length > 0) refusePurpose(head.field.name);
  if (draft.distinct || (draft.limit !== undefined && rank === undefined)) refusePurpose(all[0]!.name);
  // Records are grouped by a whole list, where one expects each of its items.
  const whole = all.find(({ kind }) => kind === 'list' || kind === 'other');
  if (whole !== undefined || all.length === 0 || all.length > MAX_FIELDS)
    refusePurpose(`by ${whole?.name ?? '…'}`);
  return all;
}

/** Fields that records can be grouped by at once. */
const MAX_FIELDS = 5;

function figuresOf({ count, head, figures, sort, having }: Draft, key: Figure | undefined): Figure[] {
  const counted: Figure[] = count && head === undefined ? [{ type: 'count' }] : [];
  const sorted = sort.map(({ field }) => field).filter(isFigure);
  const all = [
    ...counted,
    ...figures,
    ...(key ? [key] : []),
    ...sorted,
    ...having.map(({ figure }) => figure),
  ];
  const different = all.filter((one, index) => all.findIndex(other => isSame(one, other)) === index);
  return different.length > 0 ? different : [{ type: 'count' }];
}

function isSame(one: Figure, other: Figure): boolean {
  return one.type === other.type && one.field === other.field;
}

/** Groups ranked by a field are ranked by its sum. */
function asFigure(by: Field | Figure): Figure {
  return isFigure(by) ? by : { type: 'sum', field: by };
}

/** Names no two outputs, and no output and group, alike. */
export function stepsOf(all: readonly Figure[], groups: readonly Field[] = []): AggregateStep[] {
  return all.map(({ type, field }) => {
    // Percentages add up to nothing.
    if (type === 'sum' && field?.words.some(word => ['percent', 'pct', 'rate'].includes(word)))
      refusePurpose(`sum ${field.name}`);
    const name = field === undefined ? type : `${type}_${field.name}`;
    const taken = groups.some(group => group.name === name);
    return {
      type,
      ...(field && { input_field: field.name }),
      output_field: taken ? `${name}_of_group` : name,
    };
  });
}

function outputOf(figure: Figure, steps: readonly AggregateStep[]): string {
  return steps.find(step => step.type === figure.type && step.input_field === figure.field?.name)!
    .output_field;
}

function sortOf(
  draft: Draft,
  steps: readonly AggregateStep[],
  groups: readonly Field[],
  key: Figure | undefined,
) {
  if (key !== undefined && draft.sort.length > 0) refusePurpose('sorted');
  if (key !== undefined) return { [outputOf(key, steps)]: draft.rank!.direction };
  if (draft.sort.length === 0) return undefined;
  const sort: Record<string, 1 | -1> = {};
  for (const { field, direction } of draft.sort) {
    const inGroups = !isFigure(field) && groups.includes(field);
    const step = steps.find(each =>
      isFigure(field)
        ? each.type === field.type && each.input_field === field.field?.name
        : each.input_field === field.name,
    );
    if (!inGroups && step === undefined) refusePurpose(isFigure(field) ? field.type : field.name);
    sort[inGroups ? field.name : step!.output_field] = direction;
  }
  return sort;
}

/** A limit that can be kept. */
export function limitOf(limit: number | undefined, most: number): number | undefined {
  if (limit !== undefined && (!Number.isInteger(limit) || limit < 1 || limit > most)) refuseLimit(most);
  return limit;
}
