const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-])(\d\d):(\d\d))$/i;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MINUTE = 60_000;

/** `isCalendarDate` as a PostgreSQL regular expression: months of 31, of 30, of 28 days; 29 February of leap years. */
export const CALENDAR_DATE =
  '(?!0000)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))' +
  '|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)';

/** True for a day of the (proleptic Gregorian) calendar written as `YYYY-MM-DD`, years 0001–9999. */
export function isCalendarDate(text: string): boolean {
  return !text.startsWith('0000') && isDay(text);
}

/**
 * An ISO 8601 date-time with offset as UTC `YYYY-MM-DDTHH:mm:ss.sssZ`, cut (not rounded) to milliseconds; undefined when
 * it is none, has no offset, or falls outside the years 0001–9999.
 */
export function toUtcInstant(text: string): string | undefined {
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

/** `Date.parse` alone would read 30 February as 2 March. */
function isDay(text: string): boolean {
  const [match, year, month, day] = DATE.exec(text) ?? [];
  if (match === undefined) return false;
  const leap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0);
  const days = month === '02' && leap ? 29 : (DAYS[Number(month) - 1] ?? 0);
  return Number(day) >= 1 && Number(day) <= days;
}
