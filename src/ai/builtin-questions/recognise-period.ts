import { calendarUnit, coming, later, type Period, past, period, startOf, type Unit } from './calendar.js';
import type { Language, Token } from './tokenize.js';

/** A period of time, so many tokens long. */
export interface FoundPeriod {
  readonly period: Period;
  readonly length: number;
}

interface Words {
  readonly months: readonly (readonly string[])[];
  readonly units: Readonly<Record<string, Unit>>;
  /** Days from today. */
  readonly days: Readonly<Record<string, number>>;
  /** Whole units from the one of today. */
  readonly offsets: Readonly<Record<string, number>>;
  /** Between a day, its month and its year. */
  readonly joints: readonly string[];
  readonly ordinal: RegExp;
}

const ENGLISH: Words = {
  months: (
    'january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sep sept|october oct|' +
    'november nov|december dec'
  )
    .split('|')
    .map(names => names.split(' ')),
  units: {
    day: 'day',
    days: 'day',
    week: 'week',
    weeks: 'week',
    month: 'month',
    months: 'month',
    quarter: 'quarter',
    quarters: 'quarter',
    year: 'year',
    years: 'year',
  },
  days: { today: 0, yesterday: -1, tomorrow: 1 },
  offsets: { this: 0, current: 0, last: -1, previous: -1, past: -1, next: 1, coming: 1, following: 1 },
  joints: ['of', 'the', ','],
  ordinal: /^(\d{1,2})(?:st|nd|rd|th)$/,
};

const FRENCH: Words = {
  months: 'janvier|fevrier|mars|avril|mai|juin|juillet|aout|septembre|octobre|novembre|decembre'
    .split('|')
    .map(name => [name]),
  units: {
    jour: 'day',
    jours: 'day',
    semaine: 'week',
    semaines: 'week',
    mois: 'month',
    trimestre: 'quarter',
    trimestres: 'quarter',
    an: 'year',
    ans: 'year',
    annee: 'year',
    annees: 'year',
  },
  days: { hier: -1, demain: 1 },
  offsets: {
    ce: 0,
    cet: 0,
    cette: 0,
    courant: 0,
    courante: 0,
    dernier: -1,
    derniere: -1,
    derniers: -1,
    dernieres: -1,
    passe: -1,
    passee: -1,
    precedent: -1,
    precedente: -1,
    prochain: 1,
    prochaine: 1,
    prochains: 1,
    prochaines: 1,
  },
  joints: ['de', "d'", 'du', "l'"],
  ordinal: /^(\d{1,2})er$/,
};

const WORDS: Readonly<Record<Language, Words>> = { en: ENGLISH, fr: FRENCH };

/** Years that a number in four digits may be. */
export function isYear(number: number | undefined): number is number {
  return number !== undefined && Number.isInteger(number) && number >= 1900 && number <= 2100;
}

/** The longest period that begins at a token, as of the day `today`. */
export function periodAt(
  tokens: readonly Token[],
  at: number,
  language: Language,
  today: string,
): FoundPeriod | undefined {
  // "au mois de mars" is "en mars".
  const lead = /^mois d(?:e|')$/.test(`${tokens[at]?.word} ${tokens[at + 1]?.word}`) ? 2 : 0;
  const words = WORDS[language];
  const rest = tokens.slice(at + lead, at + lead + 7);
  // "in the last year" is no year of the calendar.
  const isVague = language === 'en' && tokens[at - 1]?.word === 'the' && tokens[at]?.word === 'last';
  if (isVague && /^(?:week|month|year)$/.test(tokens[at + 1]?.word ?? '')) return undefined;
  const found = [writtenDate, relativeDay, relativeUnit, manyUnits, agoUnits, quarterOf, monthOf, yearOf]
    .map(recognise => recognise(rest, words, today))
    .filter(each => each !== undefined);
  const [longest] = found.sort((a, b) => b.length - a.length);
  return longest && { ...longest, length: longest.length + lead };
}

type Recogniser = (rest: readonly Token[], words: Words, today: string) => FoundPeriod | undefined;

function found(period: Period | undefined, length: number): FoundPeriod | undefined {
  return period && { period, length };
}

const writtenDate: Recogniser = ([token], words) => {
  const text = token?.word ?? '';
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (iso) return found(period(Number(iso[1]), Number(iso[2]), Number(iso[3])), 1);
  const parts = /^(\d{1,2})[/.](\d{1,2})[/.](\d{4})$/.exec(text)?.slice(1).map(Number);
  if (parts === undefined) return undefined;
  const [first, second, year] = parts as [number, number, number];
  // 03/04/2025 is a day in April to a Briton and one in March to an American: no guess.
  if (words === FRENCH || first > 12 || first === second) return found(period(year, second, first), 1);
  return second > 12 ? found(period(year, first, second), 1) : undefined;
};

const relativeDay: Recogniser = ([token, next], words, today) => {
  if (token?.word === "aujourd'" && next?.word === 'hui') return found(calendarUnit(today, 0, 'day'), 2);
  const offset = Object.hasOwn(words.days, token?.word ?? '') ? words.days[token!.word] : undefined;
  return offset === undefined ? undefined : found(calendarUnit(today, offset, 'day'), 1);
};

/** `last month`, `ce trimestre`, `l'année dernière`. */
const relativeUnit: Recogniser = ([first, second], words, today) => {
  const hit =
    offsetAndUnit(first, second, words) ??
    (words === FRENCH ? offsetAndUnit(second, first, words) : undefined);
  if (hit === undefined || isSpanInFrench(first, second, words)) return undefined;
  // "the past month" ends today.
  const isSpan = words === ENGLISH && first?.word === 'past';
  return found(isSpan ? past(today, 1, hit.unit) : calendarUnit(today, hit.offset, hit.unit), 2);
};

/** "Le mois dernier" is one of the calendar; "le dernier mois" may be the last thirty days. */
function isSpanInFrench(first: Token | undefined, second: Token | undefined, words: Words): boolean {
  const isLast = words === FRENCH && /^derni(?:er|ere)$/.test(first?.word ?? '');
  return isLast && /^(?:semaine|mois|annee)$/.test(second?.word ?? '');
}

function offsetAndUnit(offset: Token | undefined, unit: Token | undefined, words: Words) {
  if (offset === undefined || unit === undefined) return undefined;
  if (!Object.hasOwn(words.offsets, offset.word) || !Object.hasOwn(words.units, unit.word)) return undefined;
  return { offset: words.offsets[offset.word]!, unit: words.units[unit.word]! };
}

/** `last 7 days`, `7 derniers jours`, `next 3 months`. */
const manyUnits: Recogniser = ([first, second, third], words, today) => {
  const [count, offset] = first?.number === undefined ? [second, first] : [first, second];
  const hit = offsetAndUnit(offset, third, words);
  if (hit === undefined || hit.offset === 0 || !isCount(count?.number)) return undefined;
  return found((hit.offset < 0 ? past : coming)(today, count.number, hit.unit), 3);
};

function isCount(number: number | undefined): number is number {
  return number !== undefined && Number.isInteger(number) && number > 0 && number <= 10_000;
}

function isCountToken(token: Token | undefined): token is Token & { number: number } {
  return isCount(token?.number);
}

/** `3 days ago`, `il y a 3 jours`. */
const agoUnits: Recogniser = (rest, words, today) => {
  const french =
    rest
      .slice(0, 3)
      .map(({ word }) => word)
      .join(' ') === 'il y a';
  const [count, unit, ago] = french ? rest.slice(3) : rest;
  if (!isCountToken(count) || !Object.hasOwn(words.units, unit?.word ?? '')) return undefined;
  if (!french && ago?.word !== 'ago') return undefined;
  const day = later(today, -count.number, words.units[unit!.word]!);
  return found({ start: day, end: later(day, 1, 'day'), ago: true }, french ? 5 : 3);
};

/** `Q1 2025`, `T1 2025`, `first quarter of 2025` is left to whoever asks with Q. */
const quarterOf: Recogniser = (rest, words) => {
  const quarter = /^[qt]([1-4])$/.exec(rest[0]?.word ?? '')?.[1];
  const year = skipJoints(rest, 1, words);
  if (quarter === undefined || !isYear(rest[year]?.number)) return undefined;
  const start = period(rest[year].number, Number(quarter) * 3 - 2)!.start!;
  return found({ start, end: later(start, 1, 'quarter') }, year + 1);
};

/** `March 2025`, `14 March 2025`, `March 14th, 2025`, `le 14 mars`; without a year, the last one that has begun. */
const monthOf: Recogniser = (rest, words, today) => {
  const before = dayNumber(rest[0], words);
  const at = before === undefined ? 0 : skipJoints(rest, 1, words);
  const month = words.months.findIndex(names => names.includes(rest[at]?.word ?? '')) + 1;
  if (month === 0) return undefined;
  const after = before === undefined ? dayNumber(rest[at + 1], words) : undefined;
  const end = at + (after === undefined ? 1 : 2);
  const yearAt = skipJoints(rest, end, words);
  const day = before ?? after;
  if (isYear(rest[yearAt]?.number))
    return found(ofYear(period(rest[yearAt].number, month, day), true), yearAt + 1);
  const begun = period(Number(today.slice(0, 4)), month, day);
  const year = Number(today.slice(0, 4)) - (begun !== undefined && begun.start! > today ? 1 : 0);
  return found(ofYear(period(year, month, day), false), end);
};

function ofYear(found: Period | undefined, yearSaid: boolean): Period | undefined {
  return found && { ...found, yearSaid };
}

function dayNumber(token: Token | undefined, words: Words): number | undefined {
  const day = token?.number ?? Number(words.ordinal.exec(token?.word ?? '')?.[1] ?? Number.NaN);
  return Number.isInteger(day) && day >= 1 && day <= 31 ? day : undefined;
}

function skipJoints(rest: readonly Token[], from: number, words: Words): number {
  let at = from;
  while (words.joints.includes(rest[at]?.word ?? '')) at += 1;
  return at;
}

/** `the year 2025`, `l'année 2025`, `year to date`. A bare 2025 may be an amount: who reads it in place knows. */
const yearOf: Recogniser = ([first, second, third], words, today) => {
  if (first?.word === 'year' && second?.word === 'to' && third?.word === 'date') {
    return found({ start: startOf(today, 'year'), end: later(today, 1, 'day') }, 3);
  }
  // "for 2025" is a year where nothing follows that could be counted in thousands.
  const ends = third === undefined || /^(?:by|per|each|,|and|par)$/.test(third.word);
  const near = Math.abs(Number(today.slice(0, 4)) - (second?.number ?? 0)) <= 10;
  if (/^(?:for|pour)$/.test(first?.word ?? '') && isYear(second?.number) && near && ends)
    return found(period(second.number), 2);
  if (words.units[first?.word ?? ''] !== 'year' || !isYear(second?.number)) return undefined;
  return found(period(second.number), 2);
};
