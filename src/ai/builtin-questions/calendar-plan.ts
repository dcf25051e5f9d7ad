import { ownValue } from '../../kernel/json.js';
import type { PlanningTools, SeveralPlan } from '../question-planner.js';
import { type Bucket, bucketsOf, MAX_BUCKETS, type Span } from './buckets.js';
import { type CalendarUnit, later, startOf } from './calendar.js';
import { DATES, mainDate } from './choose.js';
import type { Draft } from './draft.js';
import type { Field } from './fields.js';
import { figurePlan, figuresOf } from './figure-plan.js';
import type { Ground } from './ground.js';
import { allOf } from './join-conditions.js';
import {
  refuseCalendarGroup,
  refuseEachOrAll,
  refuseFields,
  refuseManyGroups,
  refuseMixedLogic,
  refuseNoDates,
} from './refusal.js';

type Calendar = NonNullable<Draft['calendar']>;

/** Groups by month or weekday: a read of each, since records are grouped by nothing but the values of a field. */
export async function calendarPlan(
  draft: Draft,
  calendar: Calendar,
  ground: Ground,
  tools: Pick<PlanningTools, 'datesOf'>,
): Promise<SeveralPlan> {
  refuseTestOfGroup(draft, calendar);
  const field = dateOf(draft, calendar, ground);
  const bounds = takeBounds(draft, field);
  if (draft.rank?.limit !== undefined || (draft.ask === 'list' && draft.figures.length === 0 && !draft.count))
    refuseCalendarGroup(calendar.text);
  // The groups themselves keep only records with a date.
  const { figures, filter } = figuresOf({ ...draft, calendar: undefined, event: undefined }, ground);
  const span = await spanOf(field, bounds, calendar.unit, tools);
  const buckets = bucketsOf(calendar.unit, field, span, ground.language);
  if (buckets === undefined) refuseManyGroups(calendar.text, MAX_BUCKETS);
  const read = (bucket: Bucket) => ({
    name: bucket.name,
    plan: figurePlan(figures, filter === undefined ? bucket.filter : allOf([filter, bucket.filter])),
  });
  const reads = buckets.map(read);
  return {
    operation: 'several',
    by: calendar.unit,
    reads,
    ...(draft.rank && { sort: { [outputOf(reads[0]!.plan)]: draft.rank.direction } }),
  };
}

/** "Revenue per month with revenue over 100": of each record, or of the month? */
function refuseTestOfGroup({ entity, figures, conditions }: Draft, { text }: Calendar): void {
  if (entity) return;
  const figured = figures.flatMap(({ field }) => field?.name ?? []);
  const compared = conditions
    .flatMap(({ filter }) => Object.entries(filter))
    .find(([name, test]) => figured.includes(name) && typeof test === 'object');
  if (compared !== undefined) refuseEachOrAll(compared[0], text);
}

function outputOf(plan: SeveralPlan['reads'][number]['plan']): string {
  return plan.operation === 'count' ? 'count' : plan.steps.at(-1)!.output_field;
}

/** The date that was named with the unit, else the one that the conditions are about, else the main one. */
function dateOf({ conditions, event }: Draft, { field, text }: Calendar, ground: Ground): Field {
  const named = ground.fields.filter(
    ({ kind, name }) =>
      DATES.includes(kind) && conditions.some(({ filter }) => isBounds(ownValue(filter, name))),
  );
  const said = field ?? event;
  const other = named.find(each => each !== said);
  if (said !== undefined && other !== undefined) refuseFields(text, [said, other]);
  if (named.length > 1) refuseFields(text, named);
  return said ?? named[0] ?? mainDate(text, ground);
}

function isBounds(test: unknown): test is Partial<Record<'$gte' | '$lt', string>> {
  if (typeof test !== 'object' || test === null) return false;
  return Object.entries(test).every(
    ([name, day]) => ['$gte', '$lt'].includes(name) && typeof day === 'string',
  );
}

/** Takes the time out of the conditions: the groups are within it. */
function takeBounds(draft: Draft, { name }: Field): Partial<Span> {
  const own = draft.conditions.filter(({ filter }) => Object.hasOwn(filter, name));
  if (own.length === 0) return {};
  const test = own[0]!.filter[name];
  if (draft.conditions.some(({ joined }) => joined === 'or') || own.length > 1 || !isBounds(test))
    refuseMixedLogic();
  draft.conditions = draft.conditions.filter(each => !own.includes(each));
  return { ...(test.$gte && { start: test.$gte }), ...(test.$lt && { end: test.$lt }) };
}

async function spanOf(
  field: Field,
  { start, end }: Partial<Span>,
  unit: CalendarUnit,
  tools: Pick<PlanningTools, 'datesOf'>,
): Promise<Span> {
  if (start !== undefined && end !== undefined) return { start, end };
  const dates = await tools.datesOf(field.name);
  if (dates === undefined) refuseNoDates(field, false);
  // An end that nobody named is that of a whole group: no record lies beyond the dates there are.
  const whole = unit === 'weekday' ? 'day' : unit;
  const span = {
    start: start ?? startOf(dates.first, whole),
    end: end ?? later(startOf(dates.last, whole), 1, whole),
  };
  return span.start < span.end ? span : refuseNoDates(field, true);
}
