/** Periods of time in UTC, so that a chart is the same for everybody who opens it. Weeks begin on Monday. */

export type Unit = 'hour' | 'day' | 'week' | 'month' | 'year';

/** The most periods of a chart: each is one request. */
export const MAX_PERIODS = 60;
/** The most periods that `auto` chooses. */
const MAX_AUTOMATIC = 40;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Monday, 5 January 1970. */
const FIRST_MONDAY = 4 * DAY;

/** The beginning of the period that an instant is in. Instants are milliseconds since 1970. */
export function startOf(instant: number, unit: Unit): number {
  const date = new Date(instant);
  switch (unit) {
    case 'hour':
      return Math.floor(instant / HOUR) * HOUR;
    case 'day':
      return Math.floor(instant / DAY) * DAY;
    case 'week':
      return Math.floor((instant - FIRST_MONDAY) / (7 * DAY)) * 7 * DAY + FIRST_MONDAY;
    case 'month':
      return utc(date.getUTCFullYear(), date.getUTCMonth());
    case 'year':
      return utc(date.getUTCFullYear(), 0);
  }
}

/** The beginning of the period that comes `count` periods after the one that begins at `start`. */
export function after(start: number, unit: Unit, count = 1): number {
  const date = new Date(start);
  switch (unit) {
    case 'hour':
      return start + count * HOUR;
    case 'day':
      return start + count * DAY;
    case 'week':
      return start + count * 7 * DAY;
    case 'month':
      return utc(date.getUTCFullYear(), date.getUTCMonth() + count);
    case 'year':
      return utc(date.getUTCFullYear() + count, 0);
  }
}

/** `Date.UTC` takes years below 100 for years of the twentieth century. */
function utc(year: number, month: number): number {
  return new Date(0).setUTCFullYear(year, month, 1);
}

export interface Periods {
  readonly unit: Unit;
  /** The beginnings of the periods, and the end of the last one. */
  readonly edges: readonly number[];
  /** True if earlier periods are left out. */
  readonly isCut: boolean;
}

/** The periods from `first` to `last`, the latest ones if they are more than 60. */
export function periodsBetween(first: number, last: number, wanted: Unit | 'auto'): Periods {
  const unit = wanted === 'auto' ? shortestUnit(first, last) : wanted;
  const [begin, end] = [startOf(first, unit), after(startOf(last, unit), unit)];
  const earliest = after(end, unit, -MAX_PERIODS);
  const edges = [Math.max(begin, earliest)];
  while ((edges.at(-1) as number) < end) edges.push(after(edges.at(-1) as number, unit));
  return { unit, edges, isCut: begin < earliest };
}

function shortestUnit(first: number, last: number): Unit {
  const units = ['hour', 'day', 'week', 'month'] as const;
  return units.find(unit => after(startOf(first, unit), unit, MAX_AUTOMATIC) > last) ?? 'year';
}

/** The name of the period that begins at `start`, in the language of the page. */
export function periodName(start: number, unit: Unit, language: string): string {
  return new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...NAMES[unit] }).format(start);
}

const NAMES: Readonly<Record<Unit, Intl.DateTimeFormatOptions>> = {
  hour: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  day: { day: 'numeric', month: 'short', year: 'numeric' },
  week: { day: 'numeric', month: 'short', year: 'numeric' },
  month: { month: 'short', year: 'numeric' },
  year: { year: 'numeric' },
};
