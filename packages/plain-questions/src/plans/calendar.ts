import type { Context } from '../context.js';
import type { Draft } from '../draft.js';
import { mainDate } from '../fields/choose.js';
import { DATES, type Field } from '../fields/fields.js';
import type { Lexicon } from '../lexicon/lexicon.js';
import type { Filter, SeveralPlan, Tools } from '../plan.js';
import { refuse } from '../refusal.js';
import { later, nameOfSpan, type Span, startOf } from './days.js';
import { allOf, comparedIn } from './filters.js';
import { countedBy, figurePlan } from './groups.js';

type Calendar = NonNullable<Draft['calendar']>;
type Unit = Calendar['unit'];

/**
 * Groups by month or weekday. Each group is a read of its own, because records can be grouped only by the values of a
 * field.
 */
export async function calendarPlan(draft: Draft, context: Context, tools: Tools): Promise<SeveralPlan> {
  const calendar = draft.calendar!;
  const { unit, text } = calendar;
  refuseTestOfGroup(draft, text);
  const field = dateOf(draft, calendar, context);
  const bounds = takeBounds(draft, field);
  const { rank, ask, count } = draft;
  if (rank?.limit !== undefined || (ask === 'list' && draft.figures.length === 0 && !count))
    refuse('calendarGroup', text);
  // The filters of the groups already exclude records without a date.
  const { figures, filter } = countedBy({ ...draft, calendar: undefined, event: undefined }, context);
  const span = await spanOf(field, bounds, unit, tools);
  const buckets = bucketsOf(unit, field, span, context.lexicon);
  if (buckets === undefined) refuse('manyGroups', text, [], String(MAX_BUCKETS));
  const kept = (bucket: Bucket) => (filter === undefined ? bucket.filter : allOf([filter, bucket.filter]));
  const reads = buckets.map(bucket => ({ name: bucket.name, plan: figurePlan(figures, kept(bucket)) }));
  const { plan } = reads[0]!;
  const output = plan.operation === 'count' ? 'count' : plan.steps.at(-1)!.output_field;
  return { operation: 'several', by: unit, reads, ...(rank && { sort: { [output]: rank.direction } }) };
}

/** "Revenue per month with revenue over 100" is ambiguous: it can be about each record or about the month. */
function refuseTestOfGroup({ entity, figures, conditions }: Draft, group: string): void {
  const figured = figures.flatMap(({ field }) => field ?? []);
  const compared = comparedIn(conditions, figured);
  if (!entity && compared !== undefined) refuse('eachOrAll', compared, [], group);
}

/** The date field that is named with the unit, else the one in the conditions, else the main one. */
function dateOf({ conditions, event }: Draft, { field, text }: Calendar, context: Context): Field {
  const named = context.fields.filter(
    ({ kind, name }) => DATES.includes(kind) && conditions.some(({ filter }) => isBounds(filter[name])),
  );
  const said = field ?? event;
  const all = [...new Set([...(said ? [said] : []), ...named])];
  if (all.length > 1) refuse('columns', text, all);
  return all[0] ?? mainDate(text, context);
}

function isBounds(test: unknown): test is Partial<Record<'$gte' | '$lt', string>> {
  const isBound = (name: string, day: unknown) => ['$gte', '$lt'].includes(name) && typeof day === 'string';
  if (typeof test !== 'object' || test === null) return false;
  return Object.entries(test).every(([name, day]) => isBound(name, day));
}

/** Removes the period from the conditions and returns it. The groups lie within it. */
function takeBounds(draft: Draft, { name }: Field): Partial<Span> {
  const own = draft.conditions.filter(({ filter }) => Object.hasOwn(filter, name));
  if (own.length === 0) return {};
  const test = own[0]!.filter[name];
  if (draft.conditions.some(({ joined }) => joined === 'or') || own.length > 1 || !isBounds(test))
    refuse('mixedLogic');
  draft.conditions = draft.conditions.filter(each => !own.includes(each));
  return { ...(test.$gte && { start: test.$gte }), ...(test.$lt && { end: test.$lt }) };
}

async function spanOf(field: Field, { start, end }: Partial<Span>, by: Unit, tools: Tools): Promise<Span> {
  if (start !== undefined && end !== undefined) return { start, end };
  const unit = by === 'weekday' ? 'day' : by;
  const dates = await tools.datesOf(field.name);
  if (dates === undefined) refuse('noDates', field.name);
  // If the question does not name an end, the groups at the ends are whole: no record lies beyond the dates that exist.
  const last = later(startOf(dates.last, unit), 1, unit);
  const span = { start: start ?? startOf(dates.first, unit), end: end ?? last };
  return span.start < span.end ? span : refuse('noDatesThen', field.name);
}

/** One group: its name, and the filter that selects its records. */
interface Bucket {
  readonly name: string;
  readonly filter: Filter;
}

/** The maximum number of reads in one plan: the number of weeks that a year can touch. */
const MAX_BUCKETS = 54;
/**
 * The maximum number of days for groups by weekday, because longer filters would be slow. A date needs one comparison,
 * a date-time two.
 */
const MAX_DAYS = { day: 1_100, instant: 366 } as const;

/**
 * The groups of a period; undefined if there would be too many. The first and the last group contain only days of the
 * period.
 */
export function bucketsOf(unit: Unit, field: Field, span: Span, lexicon: Lexicon): Bucket[] | undefined {
  if (unit === 'weekday') return weekdays(field, span, lexicon);
  const { name } = field;
  const { start, end } = span;
  const buckets: Bucket[] = [];
  for (let first = startOf(start, unit); first < end; first = later(first, 1, unit)) {
    if (buckets.length === MAX_BUCKETS) return undefined;
    const [from, until] = [[first, start].sort()[1]!, [later(first, 1, unit), end].sort()[0]!];
    const within = { start: from, end: until };
    buckets.push({ name: nameOfSpan(within), filter: { [name]: { $gte: within.start, $lt: within.end } } });
  }
  return buckets;
}

function weekdays(field: Field, { start, end }: Span, { calendar }: Lexicon): Bucket[] | undefined {
  if (later(start, MAX_DAYS[field.kind === 'day' ? 'day' : 'instant'], 'day') < end) return undefined;
  return calendar.weekdays.map((name, index) => {
    const days: string[] = [];
    for (let day = later(startOf(start, 'week'), index, 'day'); day < end; day = later(day, 7, 'day')) {
      if (day >= start) days.push(day);
    }
    return { name, filter: onDays(field, days) };
  });
}

/** Matches a date that is one of the days, or a date-time within one of them. */
function onDays({ name, kind }: Field, days: readonly string[]): Filter {
  if (kind === 'day' || days.length === 0) return { [name]: { $in: days } };
  return { $or: days.map(day => ({ [name]: { $gte: day, $lt: later(day, 1, 'day') } })) };
}
