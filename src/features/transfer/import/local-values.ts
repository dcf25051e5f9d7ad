import { isCalendarDate, utcInstant } from '../../../base/kernel/instant.js';
import { ZoneClock } from '../../../base/kernel/zone-clock.js';
import type { ColumnTypeName } from '../../../engine/columns/index.js';

export const DECIMALS = ['.', ','] as const;
export const DATE_ORDERS = ['ymd', 'dmy', 'mdy'] as const;

/** How a file writes numbers, dates and times. Undefined: as the service does. */
export interface LocalStyle {
  /** The sign before the decimals. The other one, a space or an apostrophe can separate groups of three digits. */
  readonly decimal?: (typeof DECIMALS)[number] | undefined;
  readonly dates?: (typeof DATE_ORDERS)[number] | undefined;
  /** The time zone of times without an offset. */
  readonly zone?: string | undefined;
}

const NUMBERS = {
  '.': /^(?=.*\d)[+-]?(\d+|\d{1,3}([, \u00a0\u202f'’]\d{3})+)?(\.\d*)?([eE][+-]?\d+)?$/,
  ',': /^(?=.*\d)[+-]?(\d+|\d{1,3}([. \u00a0\u202f'’]\d{3})+)?(,\d*)?([eE][+-]?\d+)?$/,
};
const GROUPS = { '.': /[, \u00a0\u202f'’]/g, ',': /[. \u00a0\u202f'’]/g };
const TIME = String.raw`(?:(?:[ T]|, )(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:\s?([AaPp])\.?[Mm]\.?)?)?`;
const DAY_OR_MONTH_FIRST = new RegExp(String.raw`^(\d{1,2})([./-])(\d{1,2})\2(\d{4})${TIME}$`);
const YEAR_FIRST = new RegExp(String.raw`^(\d{4})-(\d\d)-(\d\d)${TIME}$`);

/** Words of English, French and German in columns of booleans, as spreadsheets and people write them. */
const BOOLEANS: ReadonlyMap<string, 'true' | 'false'> = new Map([
  ...['true', 'yes', 'y', 'oui', 'vrai', 'o', 'wahr', 'ja', '1', 'x'].map(word => [word, 'true'] as const),
  ...['false', 'no', 'n', 'non', 'faux', 'falsch', 'nein', '0'].map(word => [word, 'false'] as const),
]);

/** Reads the numbers, booleans and dates of a file as the service writes them. */
export class LocalValues {
  private readonly clock: ZoneClock | undefined;

  constructor(private readonly style: LocalStyle) {
    this.clock = style.zone === undefined ? undefined : new ZoneClock(style.zone);
  }

  /** True for a column whose texts the style changes. */
  reads(type: ColumnTypeName): boolean {
    const { decimal, dates, zone } = this.style;
    if (type === 'integer' || type === 'double') return decimal !== undefined;
    if (type === 'boolean') return true;
    return (type === 'date' && dates !== undefined) || (type === 'datetime' && (dates ?? zone) !== undefined);
  }

  /** The text as the service writes it; undefined for one that is not written in this style. */
  text(type: ColumnTypeName, text: string): string | undefined {
    if (type === 'date') return this.day(text);
    if (type === 'boolean') return BOOLEANS.get(text.toLowerCase());
    return type === 'datetime' ? this.instant(text) : this.number(text);
  }

  private number(text: string): string | undefined {
    const { decimal = '.' } = this.style;
    return NUMBERS[decimal].test(text) ? text.replace(GROUPS[decimal], '').replace(',', '.') : undefined;
  }

  private day(text: string): string | undefined {
    if (isCalendarDate(text)) return text;
    const read = this.parts(text);
    return read !== undefined && read.time === undefined ? read.day : undefined;
  }

  /** A day without a time is its beginning in the zone. */
  private instant(text: string): string | undefined {
    const known = utcInstant(text);
    if (known !== undefined || this.clock === undefined) return known;
    const read = this.parts(text);
    return read && this.clock.instantOf(`${read.day}T${read.time ?? '00:00:00.000'}`);
  }

  private parts(text: string): { readonly day: string; readonly time: string | undefined } | undefined {
    const { dates = 'ymd' } = this.style;
    const found = YEAR_FIRST.exec(text);
    const local = dates === 'ymd' ? null : DAY_OR_MONTH_FIRST.exec(text);
    const [, first, , second, year] = local ?? [];
    const [monthText, dayText] = dates === 'mdy' ? [first, second] : [second, first];
    const day = found
      ? `${found[1]}-${found[2]}-${found[3]}`
      : `${year}-${monthText?.padStart(2, '0')}-${dayText?.padStart(2, '0')}`;
    if (!isCalendarDate(day)) return undefined;
    const [hours, minutes, seconds, fraction, half] = found?.slice(4) ?? local?.slice(5) ?? [];
    if (hours === undefined) return { day, time: undefined };
    const time = timeText(
      hours,
      `${minutes}:${seconds ?? '00'}.${(fraction ?? '').slice(0, 3).padEnd(3, '0')}`,
      half,
    );
    return time === undefined ? undefined : { day, time };
  }
}

/** `half`: a or p, of the twelve-hour clock. */
function timeText(hours: string, rest: string, half: string | undefined): string | undefined {
  let hour = Number(hours);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return undefined;
    hour = (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  }
  const time = `${String(hour).padStart(2, '0')}:${rest}`;
  return /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}$/.test(time) ? time : undefined;
}
