import type { Dice } from '../../harness/dice.js';

export type Every = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

export const EVERY = ['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
/** Zones with summer time in both hemispheres, of half an hour, with a day that does not exist, and without any. */
export const ZONES = [
  'UTC',
  'Europe/Paris',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Pacific/Apia',
  'America/Sao_Paulo',
] as const;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Days on which clocks change in one of the zones, and the day that Apia left out. */
const CHANGES = [
  '2026-03-29',
  '2026-10-25',
  '2026-03-08',
  '2026-11-01',
  '2026-04-04',
  '2026-10-03',
  '2011-12-30',
  '2018-11-04',
];

/** The period of a text, by the calendar of JavaScript alone: null for what is neither a day nor an instant. */
export function groupOf(value: unknown, every: Every, zone: string): string | null {
  if (typeof value !== 'string') return null;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(value);
  if (!isDay && !/^\d{4}-\d\d-\d\dT/.test(value)) return null;
  const instant = Date.parse(value);
  const local = isDay && every !== 'minute' && every !== 'hour' ? instant : localTime(instant, zone);
  if (every === 'minute' || every === 'hour') {
    const width = every === 'minute' ? MINUTE : 60 * MINUTE;
    return new Date(Math.floor(local / width) * width - (local - instant)).toISOString();
  }
  return startOf(local, every);
}

/** Before it, clocks showed the local mean time, and Intl has dates of another calendar. */
const STANDARD_TIME = Date.UTC(1800, 0);

/** What clocks in the zone show, as if they showed UTC. */
function localTime(instant: number, zone: string): number {
  if (instant < STANDARD_TIME) return instant + localTime(STANDARD_TIME, zone) - STANDARD_TIME;
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>;
  const local = new Date(0);
  local.setUTCFullYear(parts.year, parts.month - 1, parts.day);
  local.setUTCHours(parts.hour, parts.minute, parts.second, ((instant % 1000) + 1000) % 1000);
  return local.getTime();
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone) ?? newFormat(zone);
  formats.set(zone, known);
  return known;
}

function newFormat(timeZone: string): Intl.DateTimeFormat {
  const numeric = 'numeric' as const;
  const date = { year: numeric, month: numeric, day: numeric };
  return new Intl.DateTimeFormat('en-u-ca-iso8601', {
    ...{ timeZone, hourCycle: 'h23', ...date },
    ...{ hour: numeric, minute: numeric, second: numeric },
  });
}

function startOf(local: number, every: Every): string {
  const day = new Date(local);
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth()];
  const start = new Date(0);
  start.setUTCFullYear(year, month, day.getUTCDate());
  if (every === 'week') start.setUTCDate(start.getUTCDate() - ((start.getUTCDay() + 6) % 7));
  if (every === 'month') start.setUTCDate(1);
  if (every === 'quarter') start.setUTCMonth(month - (month % 3), 1);
  if (every === 'year') start.setUTCMonth(0, 1);
  return start.toISOString().slice(0, 10);
}

/** An instant near a change of clocks, before 1970, or anywhere from 1700 to 2100. */
export function someInstant(dice: Dice): string {
  const near = (day: string, days: number) =>
    Date.parse(day) + (dice.below(2 * days * 1440) - days * 1440) * MINUTE;
  const chosen = [
    () => near(dice.of(CHANGES), 2),
    () => near('1965-06-01', 2_000),
    () => near('1900-01-01', 73_000),
  ];
  return new Date(dice.of(chosen)() + dice.below(MINUTE)).toISOString();
}

export function someDay(dice: Dice): string {
  return new Date(Date.parse('1970-01-01') + (dice.below(80_000) - 40_000) * DAY).toISOString().slice(0, 10);
}

/** The same instant, with an offset of some hours. */
export function withOffset(instant: string, hours: number): string {
  const shifted = new Date(Date.parse(instant) + hours * 60 * MINUTE).toISOString().slice(0, -1);
  return `${shifted}${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`;
}
