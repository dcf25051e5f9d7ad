import { language } from '../i18n/language.js';

/** Dates that are counted from now. They are written as fixed instants, so that a shared link shows the same. */
export const PRESETS = [
  'now',
  'today',
  'yesterday',
  'daysAgo7',
  'daysAgo30',
  'weekStart',
  'monthStart',
  'lastMonthStart',
  'yearStart',
] as const;

type Preset = (typeof PRESETS)[number];

/** `local`: the zone of the browser. */
export type Zone = 'local' | 'utc';

/** The calendar day or, for `datetime`, the first instant of it in the zone. `now` is this instant, or today. */
export function presetValue(preset: Preset, type: 'date' | 'datetime', zone: Zone, now: Date): string {
  if (preset === 'now' && type === 'datetime') return now.toISOString();
  const [year, month, day] = partsOf(now, zone);
  const [at, on, of] = dayOf(preset, year, month, day, weekdayOf(year, month, day));
  // A day beyond the month is carried over by Date.
  const calendar = new Date(Date.UTC(at, on, of));
  if (type === 'date') return calendar.toISOString().slice(0, 10);
  return instantOf(calendar.toISOString().slice(0, 19), zone);
}

function dayOf(
  preset: Preset,
  year: number,
  month: number,
  day: number,
  weekday: number,
): readonly [number, number, number] {
  switch (preset) {
    case 'yesterday':
      return [year, month, day - 1];
    case 'daysAgo7':
      return [year, month, day - 7];
    case 'daysAgo30':
      return [year, month, day - 30];
    case 'weekStart':
      return [year, month, day - weekday];
    case 'monthStart':
      return [year, month, 1];
    case 'lastMonthStart':
      return [year, month - 1, 1];
    case 'yearStart':
      return [year, 0, 1];
    default:
      return [year, month, day];
  }
}

/** 0 for Monday. */
function weekdayOf(year: number, month: number, day: number): number {
  return (new Date(Date.UTC(year, month, day)).getUTCDay() + 6) % 7;
}

function partsOf(at: Date, zone: Zone): readonly [number, number, number] {
  return zone === 'utc'
    ? [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
    : [at.getFullYear(), at.getMonth(), at.getDate()];
}

/** The instant at which clocks of the zone show `YYYY-MM-DDTHH:MM[:SS]`, in UTC. Undefined text gives an empty one. */
export function instantOf(clock: string, zone: Zone): string {
  const at = new Date(zone === 'utc' ? `${clock.length === 16 ? `${clock}:00` : clock}Z` : clock);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}

/** What clocks of the zone show at an instant, as `<input type="datetime-local">` takes it. */
export function clockOf(instant: string, zone: Zone): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return '';
  const shown = zone === 'utc' ? at : localClockOf(at);
  return shown.toISOString().slice(0, shown.getUTCMilliseconds() === 0 ? 19 : 23);
}

/** The date whose UTC parts are those of local clocks. An offset in minutes would drop the seconds of local mean time. */
function localClockOf(at: Date): Date {
  const shown = new Date(0);
  shown.setUTCFullYear(at.getFullYear(), at.getMonth(), at.getDate());
  shown.setUTCHours(at.getHours(), at.getMinutes(), at.getSeconds(), at.getMilliseconds());
  return shown;
}

/** True for a day of the calendar as `YYYY-MM-DD`. `Date` would read 30 February as 2 March. */
export function isCalendarDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === text;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(locale: string, zone: string | undefined): Intl.DateTimeFormat {
  const key = `${locale} ${zone}`;
  let formatter = formatters.get(key);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat(locale, {
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZone: zone,
      timeZoneName: 'short',
      numberingSystem: 'latn',
      calendar: 'iso8601',
    });
    formatters.set(key, formatter);
  }
  return formatter;
}

/**
 * An instant in a time zone (default: the one of the browser), always with the name of the zone:
 * `2026-11-22 15:03:05.120 GMT+1`. Milliseconds are shown unless they are zero. Text that is no instant stays as it is.
 */
export function formatInstant(iso: string, locale: string, zone?: string): string {
  const instant = new Date(iso);
  if (Number.isNaN(instant.getTime())) return iso;
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of formatterOf(locale, zone).formatToParts(instant)) parts[type] = value;
  const { year, month, day, hour, minute, second, timeZoneName } = parts;
  const milliseconds = instant.getUTCMilliseconds();
  const fraction = milliseconds === 0 ? '' : `.${String(milliseconds).padStart(3, '0')}`;
  return `${year}-${month}-${day} ${hour}:${minute}:${second}${fraction} ${timeZoneName}`;
}

let known: { readonly language: string; readonly format: Intl.DateTimeFormat } | undefined;

/** An instant of the service in the language and time zone of the browser. */
export function moment(instant: string): string {
  const now = language();
  if (known?.language !== now) {
    // A format takes longer to make than a table of a hundred times to write.
    known = {
      language: now,
      format: new Intl.DateTimeFormat(now, { dateStyle: 'medium', timeStyle: 'short' }),
    };
  }
  return known.format.format(new Date(instant));
}
