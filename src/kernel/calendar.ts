import { DAY_MS } from './clock.js';
export type Unit = 'day' | 'week' | 'month' | 'quarter' | 'year';

/** Days from the first to the one before `end`, as `YYYY-MM-DD`. */
export interface Span {
  readonly start: string;
  readonly end: string;
}

/** A time that a question names; an open end is undefined. */
export interface Period extends Partial<Span> {
  /** Said as a distance from today: more of it is earlier. */
  readonly ago?: true;
  /** Of months and days of the calendar: whether the year was said, or taken from today. */
  readonly yearSaid?: boolean;
}

const MONTHS_IN = { month: 1, quarter: 3, year: 12 } as const;

export function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

/** A day so many units later. The 31st becomes the last day of a shorter month. */
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

/** The first day of the unit that a day lies in. Weeks begin on Monday (ISO 8601). */
export function startOf(day: string, unit: Unit): string {
  if (unit === 'day') return day;
  if (unit === 'week') return later(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7), 'day');
  const [year, month] = [day.slice(0, 4), Number(day.slice(5, 7))];
  if (unit === 'year') return `${year}-01-01`;
  const first = unit === 'month' ? month : month - ((month - 1) % 3);
  return `${year}-${String(first).padStart(2, '0')}-01`;
}

/** The unit that begins on a day. */
export function unitFrom(start: string, unit: Unit): Span {
  return { start, end: later(start, 1, unit) };
}

/** The whole unit that lies so many units from today's: −1 is the last one, 1 the next. */
export function calendarUnit(today: string, offset: number, unit: Unit): Span {
  return unitFrom(later(startOf(today, unit), offset, unit), unit);
}

/** The last so many units with today as the last day (−1), or the next with tomorrow as the first (1). */
export function nearToday(today: string, direction: number, count: number, unit: Unit): Span {
  const tomorrow = later(today, 1, 'day');
  const other = later(tomorrow, direction * count, unit);
  return direction < 0 ? { start: other, end: tomorrow } : { start: tomorrow, end: other };
}

/** Years that a number in four digits may be. */
export function isYear(number: number | undefined): number is number {
  return number !== undefined && Number.isInteger(number) && number >= 1900 && number <= 2100;
}

export function yearSpan(year: number): Span {
  return unitFrom(`${String(year).padStart(4, '0')}-01-01`, 'year');
}

/** `2025`, `2025-Q1`, `2025-03`, `2025-W07` (ISO 8601), a day, or the first and the last day. */
export function nameOfSpan({ start, end }: Span): string {
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
  const days = (Date.parse(thursday) - Date.parse(`${year}-01-01`)) / DAY_MS;
  return `${year}-W${String(Math.floor(days / 7) + 1).padStart(2, '0')}`;
}
