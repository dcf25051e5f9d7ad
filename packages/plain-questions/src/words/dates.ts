import type { Chrono } from 'chrono-node';
import type { Context } from '../context.js';
import { LEXICONS, type Lexicon, valueIn } from '../lexicon/lexicon.js';
import type { Language } from '../plan.js';
import type { Period, Unit } from '../plans/days.js';
import * as days from '../plans/days.js';
import type { Token } from './tokenize.js';

/** The maximum number of tokens in a date: `14 th of the March , 2025`. */
const MAX_LENGTH = 7;

/** Loaded with the first question, because the import takes about 25 ms, which would delay the start of the service. */
export async function chronoOf(language: Language): Promise<Chrono> {
  const locale = language === 'en' ? import('chrono-node/en') : import('chrono-node/fr');
  return (await locale).strict;
}

type Said = Readonly<Record<'day' | 'offset' | 'count' | 'quarter' | 'year', number> & { unit: Unit }>;

/** The period that a form of the lexicon means, from the numbers and words in it. */
const MEANINGS: Readonly<Record<string, (said: Said, today: string) => Period | undefined>> = {
  // "in the last year" can mean last year or the last twelve months.
  vague: () => undefined,
  day: ({ day }, today) => days.calendarUnit(today, day, 'day'),
  // "the past month" ends today; "last month" is a calendar month.
  past: ({ unit }, today) => days.nearToday(today, -1, 1, unit),
  unit: ({ unit, offset }, today) => days.calendarUnit(today, offset, unit),
  several: ({ unit, offset, count }, today) =>
    offset === 0 ? undefined : days.nearToday(today, offset, count, unit),
  ago: ({ unit, count }, today) => ({ ...days.unitFrom(days.later(today, -count, unit), 'day'), ago: true }),
  quarter: ({ year, quarter }) =>
    days.unitFrom(days.later(days.yearSpan(year).start, quarter - 1, 'quarter'), 'quarter'),
  yearToDate: (_, today) => ({ start: days.startOf(today, 'year'), end: days.later(today, 1, 'day') }),
  year: ({ year }) => days.yearSpan(year),
  // "for 2025" can be a price if the year is far from the current one.
  yearNear: ({ year }, today) =>
    Math.abs(Number(today.slice(0, 4)) - year) <= 10 ? days.yearSpan(year) : undefined,
};

const FORMS = { en: formsOf(LEXICONS.en), fr: formsOf(LEXICONS.fr) };

/** The forms of a lexicon as patterns: `{offset} {unit}` is `(?<offset>last|…) (?<unit>month|…)`. */
function formsOf({ calendar }: Lexicon) {
  const { unit, units, offsets, q, nth, joiningWords } = calendar;
  const oneOf = (table: object) => Object.keys(table).join('|');
  const holes: Readonly<Record<string, string>> = {
    day: `(?<day>${oneOf(calendar.days)})`,
    unit: `(?<unit>${oneOf(unit)})`,
    units: `(?<unit>${oneOf({ ...unit, ...units })})`,
    offset: `(?<offset>${oneOf(offsets)})`,
    q: `(?<quarter>${oneOf(q)})`,
    nth: `(?<quarter>${oneOf(nth)})`,
    count: '(?<count>[1-9]\\d{0,3}|10000)',
    year: `(?:(?:${joiningWords.join('|')}) )*(?<year>19\\d\\d|20\\d\\d|2100)`,
  };
  const number = (table: object, word?: string) =>
    valueIn(table as Record<string, number>, word) ?? Number(word);
  return calendar.forms.map(({ form, means }) => ({
    pattern: new RegExp(`${form.replace(/\{(\w+)\}/g, (_, name: string) => holes[name]!)}(?= |$)`, 'y'),
    means: (found: Readonly<Record<string, string>>, today: string) => {
      const word = valueIn<string>({ ...unit, ...units }, found.unit) as Unit;
      const [day, offset] = [number(calendar.days, found.day), number(offsets, found.offset)];
      const [count, year] = [Number(found.count), Number(found.year)];
      const quarter = number({ ...q, ...nth }, found.quarter);
      return MEANINGS[means]!({ unit: word, day, offset, count, quarter, year }, today);
    },
  }));
}

type FoundPeriod = Readonly<{ period: Period; length: number }>;

/** The longest period of time that begins at a token. */
export function periodAt(tokens: readonly Token[], at: number, context: Context): FoundPeriod | undefined {
  const { calendar } = context.lexicon;
  const text = textOf(tokens);
  const start = at === 0 ? 0 : textOf(tokens.slice(0, at)).length + 1;
  const found: FoundPeriod[] = [];
  for (const { pattern, means } of FORMS[context.language]) {
    pattern.lastIndex = start;
    const hit = pattern.exec(text);
    const period = hit && means(hit.groups ?? {}, context.today);
    // If a part is ambiguous, the whole text is.
    if (period === undefined) return undefined;
    if (period) found.push({ period, length: hit![0].split(' ').length });
  }
  // "au mois de mars" means "en mars".
  const lead = new RegExp(`^${calendar.monthLead}`).test(text.slice(start)) ? 2 : 0;
  const written = writtenAt(tokens, at + lead, context);
  if (written) found.push({ ...written, length: written.length + lead });
  const [longest] = found.sort((a, b) => b.length - a.length);
  // "may" is a month only at a place where a month is possible.
  const before = valueIn<readonly string[]>(calendar.monthOnlyAfter, tokens[at]!.word);
  const isModal = longest?.length === 1 && before?.includes(tokens[at - 1]?.word ?? '') === false;
  return isModal ? undefined : longest;
}

const YEAR = /^(?:19|20)\d\d$/;

/** A day or month that chrono reads: `2025-03-14`, `14/03/2025`, `14 March 2025`, `March 14th`, `mars 2025`. */
function writtenAt(tokens: readonly Token[], at: number, context: Context): FoundPeriod | undefined {
  const { joiningWords } = context.lexicon.calendar;
  const first = tokens[at] === undefined ? '' : wordOf(tokens[at]);
  const isNumber = /^\d/.test(first);
  if (!isNumber && parsed(`1 ${first}`, context) === undefined) return undefined;
  for (let length = Math.min(MAX_LENGTH, tokens.length - at); length > 0; length -= 1) {
    const words = tokens.slice(at, at + length).map(wordOf);
    const isList = words.some((word, index) => word === ',' && !YEAR.test(words[index + 1] ?? ''));
    const telling = words.filter(word => !joiningWords.includes(word));
    // At least one of several words must name a month; otherwise chrono is not called.
    const isMonth = length === 1 || telling.filter(word => !/^\d/.test(word)).length === 1;
    if (isList || !isMonth || joiningWords.includes(words.at(-1)!)) continue;
    const text = telling.join(' ');
    const period = parsed(text, context) ?? (isNumber ? undefined : parsed(`1 ${text}`, context, 'month'));
    if (period !== undefined) return { period, length };
  }
  return undefined;
}

/** A text that is a date as a whole. Without a year, the most recent such day or month. */
function parsed(text: string, { chrono, language, today }: Context, unit: Unit = 'day'): Period | undefined {
  const [digits, one, two] = /^(\d{1,4})[-/.](\d{1,2})[-/.]/.exec(text) ?? [];
  // 03/04/2025 is in April for a British reader and in March for an American one, so it is refused.
  if (language === 'en' && one !== two && Math.max(Number(one), Number(two)) <= 12) return undefined;
  const [found] = chrono.parse(text, { instant: new Date(`${today}T12:00:00Z`), timezone: 0 });
  if (found?.text !== text || found.end) return undefined;
  const { start } = found;
  const isRelative = [...found.tags()].some(tag => tag.startsWith('result/'));
  if (isRelative || start.isCertain('hour') || !start.isCertain('day') || !start.isCertain('month'))
    return undefined;
  const yearSaid = start.isCertain('year');
  if (yearSaid && !(days.isYear(start.get('year')!) && /\d{4}/.test(text))) return undefined;
  const dayIn = (year: number) =>
    [year, start.get('month'), start.get('day')].map(part => String(part).padStart(2, '0')).join('-');
  const day = dayIn(yearSaid ? start.get('year')! : Number(today.slice(0, 4)));
  const begun = yearSaid || day <= today ? day : dayIn(Number(today.slice(0, 4)) - 1);
  return { ...days.unitFrom(begun, unit), ...(digits === undefined && { yearSaid }) };
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map(wordOf).join(' ');
}

/** One word for each token. A quoted text is never a part of a date. */
function wordOf({ word, number, quoted }: Token): string {
  return quoted ? '"' : String(number ?? word).replaceAll(' ', '');
}
