const DAY_MS = 86_400_000;

export type Unit = 'day' | 'week' | 'month' | 'quarter' | 'year';

/** Days from `start` up to but excluding `end`, as `YYYY-MM-DD`. */
export interface Span {
  readonly start: string;
  readonly end: string;
}

/** A period that a question names; an open end is undefined. */
export interface Period extends Partial<Span> {
  /** True for a distance from today, such as "3 days ago": a greater distance is an earlier day. */
  readonly ago?: true;
  /** Set for months and days: true when the question named the year, false when the year is that of today. */
  readonly yearSaid?: boolean;
}

const MONTHS_IN = { month: 1, quarter: 3, year: 12 } as const;

export function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

/** The day that is `count` units later. The 31st becomes the last day of a shorter month. */
export function later(day: string, count: number, unit: Unit): string {
  const date = new Date(`${day}T00:00:00Z`);
  if (unit === 'day' || unit === 'week') {
    date.setUTCDate(date.getUTCDate() + count * (unit === 'week' ? 7 : 1));
    return dayOf(date);
  }
  const wanted = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + count * MONTHS_IN[unit]);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(wanted, last));
  return dayOf(date);
}

/** The first day of the unit that contains a day. Weeks begin on Monday (ISO 8601). */
export function startOf(day: string, unit: Unit): string {
  if (unit === 'day') return day;
  if (unit === 'week') return later(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7), 'day');
  const [year, month] = [day.slice(0, 4), Number(day.slice(5, 7))];
  if (unit === 'year') return `${year}-01-01`;
  const first = unit === 'month' ? month : month - ((month - 1) % 3);
  return `${year}-${String(first).padStart(2, '0')}-01`;
}

/** The unit that begins on this day. */
export function unitFrom(start: string, unit: Unit): Span {
  return { start, end: later(start, 1, unit) };
}

/** The whole unit at this offset from the current one: −1 is the previous unit, 1 the next. */
export function calendarUnit(today: string, offset: number, unit: Unit): Span {
  return unitFrom(later(startOf(today, unit), offset, unit), unit);
}

/**
 * Direction −1: the last `count` units, which end with today. Direction 1: the next `count` units, which begin
 * tomorrow.
 */
export function nearToday(today: string, direction: number, count: number, unit: Unit): Span {
  const tomorrow = later(today, 1, 'day');
  const other = later(tomorrow, direction * count, unit);
  return direction < 0 ? { start: other, end: tomorrow } : { start: tomorrow, end: other };
}

/** True for a number that is taken as a year. */
export function isYear(number: number | undefined): number is number {
  return number !== undefined && Number.isInteger(number) && number >= 1900 && number <= 2100;
}

export function yearSpan(year: number): Span {
  return unitFrom(`${String(year).padStart(4, '0')}-01-01`, 'year');
}

/**
 * Shortest name of a span: `2025`, `2025-Q1`, `2025-03`, `2025-W07` (ISO 8601), a day, or the first and the last day.
 */
export function nameOfSpan({ start, end }: Span): string {
  const is = (unit: Unit) => startOf(start, unit) === start && later(start, 1, unit) === end;
  if (is('day')) return start;
  if (is('week')) return weekName(start);
  if (is('month')) return start.slice(0, 7);
  if (is('quarter')) return `${start.slice(0, 4)}-Q${(Number(start.slice(5, 7)) + 2) / 3}`;
  if (is('year')) return start.slice(0, 4);
  return `${start}/${later(end, -1, 'day')}`;
}

/** The ISO name of a week, which belongs to the year of its Thursday. */
function weekName(monday: string): string {
  const thursday = later(monday, 3, 'day');
  const year = thursday.slice(0, 4);
  const days = (Date.parse(thursday) - Date.parse(`${year}-01-01`)) / DAY_MS;
  return `${year}-W${String(Math.floor(days / 7) + 1).padStart(2, '0')}`;
}
