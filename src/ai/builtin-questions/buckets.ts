import { type CalendarUnit, later, startOf, type Unit } from './calendar.js';
import type { Filter } from './draft.js';
import type { Field } from './fields.js';
import type { Language } from './tokenize.js';

/** One group of a calendar: its name, and the filter that keeps its records. */
export interface Bucket {
  readonly name: string;
  readonly filter: Filter;
}

/** From a day to the one before another. */
export interface Span {
  readonly start: string;
  readonly end: string;
}

/** As many reads as one plan may have: the weeks that a year touches. */
export const MAX_BUCKETS = 54;
/** Days that weekdays are told of: longer filters would be slow. A date takes one comparison, an instant two. */
const MAX_DAYS = { day: 1_100, instant: 366 } as const;

/** The groups of a span, or undefined where there would be too many. Those at its ends hold only their days within. */
export function bucketsOf(
  unit: CalendarUnit,
  field: Field,
  span: Span,
  language: Language,
): Bucket[] | undefined {
  return unit === 'weekday' ? weekdays(field, span, language) : units(unit, field, span);
}

function units(unit: Unit, { name }: Field, { start, end }: Span): Bucket[] | undefined {
  const buckets: Bucket[] = [];
  for (let first = startOf(start, unit); first < end; first = later(first, 1, unit)) {
    if (buckets.length === MAX_BUCKETS) return undefined;
    const within = {
      start: first < start ? start : first,
      end: later(first, 1, unit) > end ? end : later(first, 1, unit),
    };
    buckets.push({ name: nameOf(within), filter: { [name]: { $gte: within.start, $lt: within.end } } });
  }
  return buckets;
}

/** `2025`, `2025-Q1`, `2025-03`, `2025-W07` (ISO 8601), a day, or the first and the last day. */
export function nameOf({ start, end }: Span): string {
  const is = (unit: Unit) => startOf(start, unit) === start && later(start, 1, unit) === end;
  if (is('day')) return start;
  if (is('week')) return weekName(start);
  if (is('month')) return start.slice(0, 7);
  if (is('quarter')) return `${start.slice(0, 4)}-Q${(Number(start.slice(5, 7)) + 2) / 3}`;
  if (is('year')) return start.slice(0, 4);
  return `${start}/${later(end, -1, 'day')}`;
}

/** A week belongs to the year of its Thursday. */
function weekName(monday: string): string {
  const thursday = later(monday, 3, 'day');
  const year = thursday.slice(0, 4);
  const days = (Date.parse(thursday) - Date.parse(`${year}-01-01`)) / 86_400_000;
  return `${year}-W${String(Math.floor(days / 7) + 1).padStart(2, '0')}`;
}

const WEEKDAYS: Readonly<Record<Language, readonly string[]>> = {
  en: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
  fr: ['lundi', 'mardi', 'mercredi', 'jeudi', 'vendredi', 'samedi', 'dimanche'],
};

function weekdays(field: Field, { start, end }: Span, language: Language): Bucket[] | undefined {
  if (later(start, MAX_DAYS[field.kind === 'day' ? 'day' : 'instant'], 'day') < end) return undefined;
  return WEEKDAYS[language].map((name, index) => {
    const days: string[] = [];
    for (let day = later(startOf(start, 'week'), index, 'day'); day < end; day = later(day, 7, 'day')) {
      if (day >= start) days.push(day);
    }
    return { name, filter: onDays(field, days) };
  });
}

/** A date is one of the days; an instant lies in one of them. */
function onDays({ name, kind }: Field, days: readonly string[]): Filter {
  if (kind === 'day' || days.length === 0) return { [name]: { $in: days } };
  return { $or: days.map(day => ({ [name]: { $gte: day, $lt: later(day, 1, 'day') } })) };
}
