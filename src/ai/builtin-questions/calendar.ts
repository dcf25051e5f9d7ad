/** Days from the first to the one before `end`, as `YYYY-MM-DD`; an end left open is undefined. */
export interface Period {
  readonly start?: string;
  readonly end?: string;
  /** Said as a distance from today: more of it is earlier. */
  readonly ago?: true;
  /** Of months and days of the calendar: whether the year was said, or taken from today. */
  readonly yearSaid?: boolean;
}

export type Unit = 'day' | 'week' | 'month' | 'quarter' | 'year';

/** What groups can be made by. */
export type CalendarUnit = Unit | 'weekday';

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
  if (unit === 'week') {
    const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
    return later(day, -weekday, 'day');
  }
  const [year, month] = [day.slice(0, 4), Number(day.slice(5, 7))];
  if (unit === 'year') return `${year}-01-01`;
  const first = unit === 'month' ? month : month - ((month - 1) % 3);
  return `${year}-${String(first).padStart(2, '0')}-01`;
}

/** The whole unit that lies so many units from today's: −1 is the last one, 1 the next. */
export function calendarUnit(today: string, offset: number, unit: Unit): Period {
  const start = later(startOf(today, unit), offset, unit);
  return { start, end: later(start, 1, unit) };
}

/** The last so many units, today being the last day. */
export function past(today: string, count: number, unit: Unit): Period {
  const end = later(today, 1, 'day');
  return { start: later(end, -count, unit), end };
}

/** The next so many units, tomorrow being the first day. */
export function coming(today: string, count: number, unit: Unit): Period {
  const start = later(today, 1, 'day');
  return { start, end: later(start, count, unit) };
}

/** A year, a month of it or a day; undefined for what no calendar has. */
export function period(year: number, month?: number, day?: number): Period | undefined {
  const start = [String(year).padStart(4, '0'), month ?? 1, day ?? 1]
    .map(part => String(part).padStart(2, '0'))
    .join('-');
  const date = new Date(`${start}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || dayOf(date) !== start) return undefined;
  return { start, end: later(start, 1, day !== undefined ? 'day' : month !== undefined ? 'month' : 'year') };
}
