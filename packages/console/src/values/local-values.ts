import { booleanIn } from './boolean-words.js';
import { isCalendarDay } from './dates.js';
import type { ColumnType } from './draft-columns.js';

/** How a file writes numbers: the sign before the decimals. */
type DecimalSign = '.' | ',';
/** How a file writes dates: year, month, day, or day or month first. */
type DateOrder = 'ymd' | 'dmy' | 'mdy';

/** How the values of a file are written. The service reads `1234.5` and `2026-01-31`. */
export interface LocalStyle {
  readonly decimal: DecimalSign;
  readonly dates: DateOrder;
}

/** Digits in groups of three, between which the other sign, a space or an apostrophe stands. */
const NUMBER = {
  '.': /^[+-]?(\d+|\d{1,3}([, \u00a0\u202f'’]\d{3})+)(\.\d+)?$/,
  ',': /^[+-]?(\d+|\d{1,3}([. \u00a0\u202f'’]\d{3})+)(,\d+)?$/,
};
const GROUPS = { '.': /[, \u00a0\u202f'’]/g, ',': /[. \u00a0\u202f'’]/g };
const DATE = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:[ T](\d{1,2}):(\d\d)(?::(\d\d))?)?$/;

/** The text as the service reads it in a column of this type. A text that is not understood stays as it is. */
export function serviceText(text: string, type: ColumnType | undefined, style: LocalStyle): string {
  switch (type) {
    case 'integer':
    case 'double':
      return numberText(text.trim(), style.decimal) ?? text;
    case 'boolean':
      return booleanText(text) ?? text;
    case 'date':
      return dateText(text.trim(), style.dates)?.slice(0, 10) ?? text;
    case 'datetime':
      return dateText(text.trim(), style.dates) ?? instantText(text.trim()) ?? text;
    default:
      return text;
  }
}

function numberText(text: string, decimal: DecimalSign): string | undefined {
  if (!NUMBER[decimal].test(text)) return undefined;
  return text.replace(GROUPS[decimal], '').replace(',', '.');
}

function booleanText(text: string): string | undefined {
  return booleanIn(text)?.toString();
}

/** A date, or an instant if a time follows: files of spreadsheets have no zone, so it is that of the browser. */
function dateText(text: string, order: DateOrder): string | undefined {
  const found = order === 'ymd' ? null : DATE.exec(text);
  if (found === null) return undefined;
  const [, first = '', , second = '', year, hours, minutes, seconds] = found;
  const [day, month] = order === 'dmy' ? [first, second] : [second, first];
  if (Number(month) > 12 || Number(day) > 31) return undefined;
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (hours === undefined) return date;
  return instantText(`${date}T${hours.padStart(2, '0')}:${minutes}:${seconds ?? '00'}`);
}

const WITHOUT_ZONE = /^\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?)?$/;

/** A time without a zone is one of the browser's zone. */
function instantText(text: string): string | undefined {
  if (!WITHOUT_ZONE.test(text) || !isCalendarDay(text.slice(0, 10))) return undefined;
  const instant = new Date(text.length === 10 ? `${text}T00:00` : text.replace(' ', 'T'));
  return Number.isNaN(instant.getTime()) ? undefined : instant.toISOString();
}

/** Only the United States write the month first. */
export function ambiguousDates(): 'dmy' | 'mdy' {
  return navigator.language === 'en-US' ? 'mdy' : 'dmy';
}

/** How the texts of a file are written. Ambiguous dates such as 03/04/2026 have the day first, unless told otherwise. */
export function styleOf(texts: readonly string[], ambiguous: 'dmy' | 'mdy'): LocalStyle {
  return { decimal: decimalOf(texts), dates: datesOf(texts, ambiguous) };
}

const COMMA_DECIMALS = /^[+-]?(\d+,(\d{1,2}|\d{4,})|\d{1,3}([. \u00a0\u202f]\d{3})+,\d+)$/;
const POINT_DECIMALS = /^[+-]?(\d+\.(\d{1,2}|\d{4,})|\d{1,3}(,\d{3})+(\.\d+)?)$/;

/** `1,234` says nothing: it is a thousand or a fraction. */
function decimalOf(texts: readonly string[]): DecimalSign {
  const commas = texts.filter(text => COMMA_DECIMALS.test(text)).length;
  const points = texts.filter(text => POINT_DECIMALS.test(text)).length;
  return commas > points ? ',' : '.';
}

function datesOf(texts: readonly string[], ambiguous: 'dmy' | 'mdy'): DateOrder {
  const found = texts.map(text => DATE.exec(text)).filter(match => match !== null);
  if (found.length === 0) return 'ymd';
  if (found.some(([, first]) => Number(first) > 12)) return 'dmy';
  if (found.some(([, , , second]) => Number(second) > 12)) return 'mdy';
  return found.some(([, , sign]) => sign === '.') ? 'dmy' : ambiguous;
}

/** Types in which texts of a new collection are tried. Texts of every other type are read by the service. */
const TRIED: readonly ColumnType[] = ['integer', 'date', 'datetime', 'boolean'];
/** Codes rather than numbers: `007` and `+33` would lose characters. */
const CODE = /^(\+|-?0)\d[\d ]*$/;
const READS_AS: Partial<Record<ColumnType, RegExp>> = {
  integer: /^[+-]?\d+(\.\d+)?$/,
  date: /^\d{4}-\d\d-\d\d$/,
  datetime: /T.*Z$/,
  boolean: /^(true|false)$/,
};

/** The texts of one field as the service reads them, if all of them can be read as values of one type. */
export function serviceTexts(
  texts: readonly (string | null)[],
  style: LocalStyle,
): readonly (string | null)[] {
  const present = texts.filter(text => text !== null && text !== '') as string[];
  if (present.some(text => CODE.test(text))) return texts;
  const type = TRIED.find(each =>
    present.every(text => READS_AS[each]?.test(serviceText(text, each, style)) && !isDigitAsWord(each, text)),
  );
  if (type === undefined || present.length === 0) return texts;
  return texts.map(text => (text === null || text === '' ? text : serviceText(text, type, style)));
}

/** A type that most texts of a field have, and the others not. */
export interface MostlyOfType {
  readonly type: ColumnType;
  /** The texts that have the type, of all that are not empty. */
  readonly fits: number;
  readonly of: number;
}

/** At least this part of the texts must have the type. */
const MOST = 0.75;

/** The type that most texts have but not all: a few of them would be refused by a column of this type. */
export function mostlyOfType(texts: readonly (string | null)[], style: LocalStyle): MostlyOfType | undefined {
  const present = texts.filter(text => text !== null && text.trim() !== '') as string[];
  if (present.some(text => CODE.test(text))) return undefined;
  for (const type of TRIED) {
    const read = present.map(text => serviceText(text, type, style));
    const fitting = read.filter(
      (text, at) => READS_AS[type]?.test(text) && !isDigitAsWord(type, present[at] ?? ''),
    );
    if (fitting.length === present.length || fitting.length < present.length * MOST) continue;
    const isDouble = type === 'integer' && fitting.some(text => text.includes('.'));
    return { type: isDouble ? 'double' : type, fits: fitting.length, of: present.length };
  }
  return undefined;
}

/** `1`, `0`, `x`, `n` alone do not make a column of truth values. */
function isDigitAsWord(type: ColumnType, text: string): boolean {
  return type === 'boolean' && text.trim().length < 2;
}
