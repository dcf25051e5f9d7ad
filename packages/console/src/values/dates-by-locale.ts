import { clockOf, instantOf, isCalendarDay } from './dates.js';

const ISO_DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const WITH_OFFSET = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?\s?(Z|[+-]\d\d:?\d\d)$/i;
const DATE_AND_TIME = /^(\S+?)(?:T|,?\s+)(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?$/;

/** The day that a text writes in a locale, as `YYYY-MM-DD`: `31/12/2026` in French, `12/31/2026` in American English. */
export function dateIn(text: string, locale: string): string | undefined {
  const iso = ISO_DATE.exec(text);
  if (iso !== null) return dayOf(iso[1], iso[2], iso[3]);
  const parts = text.split(/[./-]/);
  if (parts.length !== 3 || !parts.every(part => /^\d{1,4}$/.test(part))) return undefined;
  const named = Object.fromEntries(orderOf(locale).map((type, place) => [type, parts[place]]));
  return named.year?.length === 4 ? dayOf(named.year, named.month, named.day) : undefined;
}

const orders = new Map<string, readonly string[]>();

/** `['day', 'month', 'year']` in the order of the locale. */
function orderOf(locale: string): readonly string[] {
  let order = orders.get(locale);
  if (order === undefined) {
    const options = { year: 'numeric', month: '2-digit', day: '2-digit', calendar: 'gregory' } as const;
    const parts = new Intl.DateTimeFormat(locale, options).formatToParts(0);
    order = parts.map(({ type }) => type).filter(type => type !== 'literal');
    orders.set(locale, order);
  }
  return order;
}

/** Undefined for a day that the calendar does not have. */
function dayOf(year = '', month = '', day = ''): string | undefined {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isCalendarDay(text) ? text : undefined;
}

/** The instant that a text writes, in UTC. A text without offset is a time of the browser's zone. */
export function datetimeIn(text: string, locale: string): string | undefined {
  if (WITH_OFFSET.test(text)) {
    if (!isCalendarDay(text.slice(0, 10))) return undefined;
    const at = new Date(text.replace(' ', 'T').replace(/\s/, '').replace(',', '.'));
    return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
  }
  const [, date = text, hour = '0', minute = '00', second = '00', fraction = '0'] =
    DATE_AND_TIME.exec(text) ?? [];
  const day = dateIn(date, locale);
  if (day === undefined) return undefined;
  const time = `${hour.padStart(2, '0')}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  return instantOf(`${day}T${time}`, 'local') || undefined;
}

/**
 * What clocks of the browser's zone show at an instant: `2026-01-31 10:30:00`. In the hour that clocks show twice, the
 * second time is written with its zone, because the clock alone names the first.
 */
export function localClock(instant: string): string {
  const clock = clockOf(instant, 'local');
  const at = new Date(instant).getTime();
  return new Date(instantOf(clock, 'local')).getTime() === at ? clock.replace('T', ' ') : instant;
}
