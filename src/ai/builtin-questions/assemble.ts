import type { AggregatePlan, AggregateStep, Plan, QueryPlan } from '../question-planner.js';
import { DATES } from './choose.js';
import type { Draft, Figure, Filter } from './draft.js';
import type { Field } from './fields.js';
import type { Ground } from './recognise.js';
import {
  refuseContradiction,
  refuseEachOrAll,
  refuseFields,
  refuseLimit,
  refuseMissing,
  refuseMixedLogic,
  refusePurpose,
  refuseQuestion,
} from './refusal.js';

/** As many records, and groups, as an answer holds. */
const MAX_RECORDS = 100;
const MAX_GROUPS = 1_000;

/** Makes of what was read the one plan that it can mean, or refuses. Nothing that was read is left out of it. */
export function assemble(draft: Draft, ground: Ground): Plan {
  settle(draft, ground);
  const filter = joined(draft, ground);
  const subject = draft.head?.field;
  if (draft.groups.length > 0 || draft.having.length > 0 || ranksGroups(draft)) return grouped(draft, filter);
  if (draft.figures.length > 0) return figures(draft, filter);
  if (draft.count) {
    if (draft.rank !== undefined || draft.shown.length > 0) refusePurpose(nameOf(draft));
    return subject === undefined
      ? { operation: 'count', ...(filter && { filter }) }
      : distinct(subject, filter);
  }
  if (subject !== undefined && draft.rank === undefined) return distinct(subject, filter);
  if (isDistinct(draft)) return distinct(draft.shown[0]!.field, filter);
  return query(draft, filter, ground);
}

function nameOf({ shown, head, rank }: Draft): string {
  return shown[0]?.text ?? head?.field.name ?? (rank?.by && 'name' in rank.by ? rank.by.name : 'top');
}

/** Decides what can only be decided once all has been read. */
function settle(draft: Draft, ground: Ground): void {
  if (draft.howMuch) settleHowMuch(draft, ground);
  if (draft.rank !== undefined && draft.rank.by === undefined) settleRank(draft, ground);
  settleSubject(draft, ground);
  const asksNothing =
    draft.having.length === 0 &&
    draft.ask === undefined &&
    !draft.count &&
    draft.figures.length === 0 &&
    draft.rank === undefined;
  if (asksNothing && !draft.entity && draft.head === undefined && !draft.distinct) {
    if (draft.shown.length > 0) refusePurpose(draft.shown[0]!.text);
    refuseQuestion(ground.fields);
  }
  if (draft.shown.length > 0 && (draft.figures.length > 0 || draft.groups.length > 0))
    refusePurpose(draft.shown[0]!.text);
}

/** "How much did Acme spend": the sum of the number that was named. "Combien sont actifs": a count. */
function settleHowMuch(draft: Draft, ground: Ground): void {
  const numbers = draft.shown.filter(({ field }) => field.kind === 'number');
  if (draft.figures.length === 1 && draft.figures[0]!.type === 'sum') draft.figures.push({ type: 'count' });
  if (draft.figures.length > 0) return;
  // "How much did customers spend": who did is no more than the records.
  const others = draft.shown.filter(({ field, plural }) => field.kind !== 'number' && !plural);
  if (numbers.length === 1 && others.length === 0) {
    // With how many records they are the sum of: "Alice" may be several.
    draft.figures.push({ type: 'sum', field: numbers[0]!.field }, { type: 'count' });
    draft.shown = [];
  } else if (
    ground.language === 'fr' &&
    draft.shown.length === 0 &&
    (draft.entity || draft.conditions.length > 0)
  ) {
    draft.count = true;
  } else
    refuseMissing(
      'how much',
      ground.fields.filter(({ kind }) => kind === 'number'),
    );
}

/** "Which customers spent more than 1000": in one record, or in all of theirs? */
function settleSubject({ head, entity, conditions }: Draft, { fields }: Ground): void {
  if (head === undefined || entity) return;
  const numbers = fields.filter(({ kind }) => kind === 'number').map(({ name }) => name);
  const compared = conditions
    .flatMap(({ filter }) => Object.entries(filter))
    .find(([name, test]) => numbers.includes(name) && typeof test === 'object');
  if (compared !== undefined) refuseEachOrAll(compared[0], head.field.name);
}

/** "Top 5 orders" says by what only if there is no choice. */
function settleRank(draft: Draft, ground: Ground): void {
  const rank = draft.rank!;
  const figure = draft.figures.length === 1 ? draft.figures.pop() : undefined;
  const sort = figure ?? draft.sort.pop()?.field;
  if (sort === undefined && draft.count && draft.head !== undefined) {
    rank.by = { type: 'count' };
    draft.count = false;
  } else if (sort !== undefined) rank.by = sort;
  else
    refuseMissing(
      'top',
      ground.fields.filter(({ kind }) => kind === 'number'),
    );
}

function ranksGroups({ rank, head, count, ask, figures: steps, entity }: Draft): boolean {
  if (head !== undefined && rank !== undefined) return true;
  return head !== undefined && steps.length > 0 && (entity || ask !== undefined) && !count;
}

/** All conditions as one filter. An "or" between columns must join all of them, else its scope is a guess. */
function joined({ conditions }: Draft, { fields }: Ground): Filter | undefined {
  if (conditions.length === 0) return undefined;
  const rest = conditions.slice(1);
  if (conditions[0]!.joined === 'or') refuseMixedLogic();
  if (rest.some(({ joined }) => joined === 'or')) {
    if (rest.some(({ joined }) => joined === 'and')) refuseMixedLogic();
    return { $or: conditions.map(({ filter }) => filter) };
  }
  for (const { name, kind } of fields) {
    const tests = conditions.map(({ filter }) => filter[name]).filter(test => test !== undefined);
    if (tests.length > 1 && kind !== 'list' && tests.some(isWhole)) refuseContradiction(name);
  }
  return allOf(conditions.map(({ filter }) => filter));
}

/** A value, some values or a range: nothing that another test of the same field could add to. */
function isWhole(test: unknown): boolean {
  if (typeof test !== 'object' || test === null) return true;
  return '$in' in test || ('$gte' in test && ('$lt' in test || '$lte' in test));
}

function allOf(filters: readonly Filter[]): Filter {
  const names = filters.flatMap(filter => Object.keys(filter));
  if (new Set(names).size < names.length) return { $and: filters };
  return Object.assign({}, ...filters);
}

function andNot(filter: Filter | undefined, field: Field): Filter {
  const present = { [field.name]: { $ne: null } };
  return filter === undefined ? present : allOf([filter, present]);
}

/** Null is no value of a field, so it does not count among its values. */
function distinct(field: Field, filter: Filter | undefined): Plan {
  const asked = filter !== undefined && Object.hasOwn(filter, field.name);
  return { operation: 'distinct', field: field.name, filter: asked ? filter : andNot(filter, field) };
}

function figures(draft: Draft, filter: Filter | undefined): AggregatePlan {
  if (draft.rank !== undefined || draft.sort.length > 0 || draft.limit !== undefined)
    refusePurpose(nameOf(draft));
  const steps = stepsOf([...draft.figures, ...(draft.count ? [{ type: 'count' } as const] : [])]);
  return { operation: 'aggregate', steps, ...(filter && { filter }) };
}

function grouped(draft: Draft, filter: Filter | undefined): AggregatePlan {
  const { rank, head, having } = draft;
  const subject = head?.field ?? (draft.groups.length === 0 ? draft.shown[0]?.field : undefined);
  const groups = [
    ...new Set([
      ...(subject === undefined || draft.groups.includes(subject) ? [] : [subject]),
      ...draft.groups,
    ]),
  ];
  if (groups.length > 5) refuseFields('by', groups);
  if (
    draft.figures.length === 0 &&
    !draft.count &&
    !draft.entity &&
    rank === undefined &&
    having.length === 0
  ) {
    refusePurpose(groups[0]!.name);
  }
  // "How many customers by country" counts the different customers of each: one plan cannot.
  if (head !== undefined && draft.count && draft.groups.length > 0) refusePurpose(head.field.name);
  if (
    draft.ask === 'list' &&
    draft.groups.length > 0 &&
    draft.figures.length + having.length === 0 &&
    !draft.count &&
    !rank
  ) {
    refusePurpose(`by ${draft.groups[0]!.name}`);
  }
  if (rank !== undefined && groups.length === 0) refusePurpose(nameOf(draft));
  const key = rank && asFigure(rank.by!);
  const sorted = draft.sort.map(({ field }) => field);
  const wanted = [
    ...draft.figures,
    ...(key ? [key] : []),
    ...sorted.filter(isFigure),
    ...having.map(({ figure }) => figure),
  ];
  const counted = draft.count && head === undefined ? [{ type: 'count' } as const] : [];
  const all = unique([...counted, ...wanted]);
  const steps = stepsOf(all.length > 0 ? all : [{ type: 'count' }], groups);
  const sort = sortOf(draft, steps, groups, key);
  const limit = limitOf(rank?.limit ?? draft.limit, MAX_GROUPS);
  const tests = having.map(({ figure, test }) => ({ [outputOf(figure, steps)]: test }));
  const least =
    key !== undefined && rank!.direction === 1 && key.type !== 'count' && key.type !== 'sum'
      ? [{ [outputOf(key, steps)]: { $ne: null } }]
      : [];
  const conditions = [...tests, ...least];
  return {
    operation: 'aggregate',
    steps,
    group_by: groups.length === 1 ? groups[0]!.name : groups.map(({ name }) => name),
    ...withFilter(rank !== undefined || having.length > 0 ? presentOf(groups, filter) : filter),
    ...(sort && { sort }),
    ...(limit !== undefined && { limit }),
    ...(conditions.length > 0 && { having: allOf(conditions) }),
  };
}

function withFilter(filter: Filter | undefined): { filter?: Filter } {
  return filter === undefined ? {} : { filter };
}

/** Among the best there is no group without a name. */
function presentOf(groups: readonly Field[], filter: Filter | undefined): Filter | undefined {
  const open = groups.filter(({ name }) => filter === undefined || !Object.hasOwn(filter, name));
  return open.reduce<Filter | undefined>((all, field) => andNot(all, field), filter);
}

function isFigure(each: Field | Figure): each is Figure {
  return 'type' in each;
}

/** Groups ranked by a field are ranked by its sum. */
function asFigure(by: Field | Figure): Figure {
  return isFigure(by) ? by : { type: 'sum', field: by };
}

function unique(all: readonly Figure[]): Figure[] {
  return all.filter(
    (one, index) => all.findIndex(other => other.type === one.type && other.field === one.field) === index,
  );
}

/** Names no two outputs, and no output and group, alike. */
function stepsOf(all: readonly Figure[], groups: readonly Field[] = []): AggregateStep[] {
  return all.map(({ type, field }) => {
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

function limitOf(limit: number | undefined, most: number): number | undefined {
  if (limit !== undefined && (!Number.isInteger(limit) || limit < 1 || limit > most)) refuseLimit(most);
  return limit;
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
  const missing = key !== undefined && rank!.direction === 1;
  return {
    operation: 'query',
    ...withFilter(missing || (key && DATES.includes(key.kind)) ? andNot(filter, key!) : filter),
    ...(sort && { sort }),
    ...(shown.length > 0 && { fields: [...new Set(shown.map(({ field }) => field.name))] }),
    limit: limitOf(rank?.limit ?? draft.limit, MAX_RECORDS) ?? MAX_RECORDS,
  };
}

function querySort(draft: Draft, key: Field | undefined): Record<string, 1 | -1> | undefined {
  if (key !== undefined) return { [key.name]: draft.rank!.direction };
  if (draft.sort.length === 0) return undefined;
  return Object.fromEntries(
    draft.sort.map(({ field, direction }) => [
      isFigure(field) ? refusePurpose(field.type) : field.name,
      direction,
    ]),
  );
}
