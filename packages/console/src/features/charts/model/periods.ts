/** Periods of time in UTC, so that a chart is the same for everybody who opens it. Weeks begin on Monday. */

export type Unit = 'hour' | 'day' | 'week' | 'month' | 'year';

/** The most periods of a chart. */
export const MAX_PERIODS = 60;
/** The most periods that `auto` chooses. */
const MAX_AUTOMATIC = 40;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

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

export interface Latest {
  /** The beginnings of the periods in order, without a gap. */
  readonly starts: readonly number[];
  /** True if earlier periods are left out. */
  readonly isCut: boolean;
}

/**
 * The periods from the first to the last one with results, the latest ones if they are more than 60. `found` begins with
 * the last. `isPart`: there are earlier results, and perhaps further ones of the earliest period found.
 */
export function latestPeriods(found: readonly number[], unit: Unit, isPart: boolean): Latest {
  const [last] = found;
  const first = found.at(-1);
  if (last === undefined || first === undefined) return { starts: [], isCut: false };
  const earliest = Math.max(
    after(last, unit, 1 - MAX_PERIODS),
    isPart && first < last ? after(first, unit) : first,
  );
  const starts = [earliest];
  for (let next = after(earliest, unit); next <= last; next = after(next, unit)) starts.push(next);
  return { starts, isCut: isPart || first < earliest };
}

/** The shortest unit that needs at most 40 periods from the first to the last instant. */
export function shortestUnit(first: number, last: number): Unit {
  const units = ['hour', 'day', 'week', 'month'] as const;
  return units.find(unit => after(first, unit, MAX_AUTOMATIC - 1) > last) ?? 'year';
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
