// The only places that decide whether a text is a day or an instant. `Date.parse` would read 30 February as 2 March.

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-])(\d\d):(\d\d))$/i;
/** Most texts have the form in which they are stored, and a day that every month has. They need no conversion. */
const STORED_DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])$/;
const STORED_INSTANT =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MINUTE = 60_000;

/** True for a day of the (proleptic Gregorian) calendar written as `YYYY-MM-DD`, years 0001–9999. */
export function isCalendarDate(text: string): boolean {
  return !text.startsWith('0000') && isDay(text);
}

/**
 * Converts an ISO 8601 date-time with offset to UTC, `YYYY-MM-DDTHH:mm:ss.sssZ`, truncated (not rounded) to milliseconds.
 * Undefined for other text, without an offset, or outside of the years 0001–9999. Also undefined for a leap second
 * (`23:59:60`): instants are kept as Unix time, which has none, so the answer could not be what was sent.
 */
export function utcInstant(text: string): string | undefined {
  if (STORED_INSTANT.test(text) && !text.startsWith('0000')) return text;
  const [match, day, hour, minute, second = '00', fraction = '', sign, offsetHour, offsetMinute] =
    INSTANT.exec(text) ?? [];
  if (match === undefined || !isDay(day!)) return undefined;
  if (hour! > '23' || minute! > '59' || second > '59') return undefined;
  if (sign !== undefined && (offsetHour! > '23' || offsetMinute! > '59')) return undefined;
  const local = Date.parse(`${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
  const offset = sign === undefined ? 0 : (Number(offsetHour) * 60 + Number(offsetMinute)) * MINUTE;
  const utc = new Date(sign === '-' ? local + offset : local - offset).toISOString();
  return /^(?!0000)\d{4}-/.test(utc) ? utc : undefined;
}

function isDay(text: string): boolean {
  if (STORED_DATE.test(text)) return true;
  const [match, year, month, day] = DATE.exec(text) ?? [];
  if (match === undefined) return false;
  const leap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0);
  const days = month === '02' && leap ? 29 : (DAYS[Number(month) - 1] ?? 0);
  return Number(day) >= 1 && Number(day) <= days;
}
