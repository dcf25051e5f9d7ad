import type { Measure } from './marks.js';
import type { Language, Token } from './tokenize.js';

export interface FoundNumber {
  readonly number: number;
  readonly measure?: Measure;
  readonly length: number;
}

const WORDS: Readonly<Record<Language, Readonly<Record<string, number>>>> = {
  en: {
    zero: 0,
    one: 1,
    two: 2,
    three: 3,
    four: 4,
    five: 5,
    six: 6,
    seven: 7,
    eight: 8,
    nine: 9,
    ten: 10,
    twelve: 12,
    twenty: 20,
    hundred: 100,
  },
  fr: {
    zero: 0,
    deux: 2,
    trois: 3,
    quatre: 4,
    cinq: 5,
    six: 6,
    sept: 7,
    huit: 8,
    neuf: 9,
    dix: 10,
    douze: 12,
    vingt: 20,
    cent: 100,
  },
};

const SCALES: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  mille: 1e3,
  M: 1e6,
  million: 1e6,
  millions: 1e6,
  billion: 1e9,
  milliard: 1e9,
  milliards: 1e9,
};

const MONEY: Readonly<Record<string, string>> = {
  '€': 'eur',
  eur: 'eur',
  euro: 'eur',
  euros: 'eur',
  $: 'usd',
  usd: 'usd',
  dollar: 'usd',
  dollars: 'usd',
  '£': 'gbp',
  gbp: 'gbp',
  pound: 'gbp',
  pounds: 'gbp',
  chf: 'chf',
};

/** Spellings of each unit; the first ones are what the name of a field may say. */
const UNITS: readonly (readonly string[])[] = [
  ['year', 'years', 'an', 'ans', 'yr', 'yrs'],
  ['month', 'months', 'mois'],
  ['week', 'weeks', 'semaine', 'semaines'],
  ['day', 'days', 'jour', 'jours'],
  ['hour', 'hours', 'h', 'heure', 'heures', 'hrs', 'hr'],
  ['minute', 'minutes', 'min', 'mins'],
  ['second', 'seconds', 'sec', 'seconde', 'secondes'],
  ['kg', 'kilos', 'kilo', 'kilogram', 'kilograms'],
  ['km', 'kilometers', 'kilometres', 'kilometre'],
  ['percent', 'pct', '%'],
];

/** A number in digits or letters, its scale (`10k`, `2 million`) and its unit (`€100`, `30 days`). */
export function numberAt(tokens: readonly Token[], at: number, language: Language): FoundNumber | undefined {
  const symbol = '€$£'.includes(tokens[at]!.word) ? tokens[at]!.word : undefined;
  const start = at + (symbol === undefined ? 0 : 1);
  const isMoney = (token: Token | undefined) =>
    symbol !== undefined || Object.hasOwn(MONEY, token?.word ?? '');
  const base = baseOf(tokens[start], language, isMoney(tokens[start + 1]));
  if (base === undefined) return undefined;
  const scale = base.scale === undefined ? scaleOf(tokens[start + 1], isMoney(tokens[start + 2])) : undefined;
  const end = start + (scale === undefined ? 1 : 2);
  const number = base.number * (base.scale ?? scale ?? 1);
  const unit = measureOf(symbol ?? tokens[end]?.word);
  if (base.unit !== undefined)
    return { number: base.number, measure: measureOf(base.unit), length: end - at };
  return {
    number,
    ...(unit && { measure: unit }),
    length: end - at + (unit && symbol === undefined ? 1 : 0),
  };
}

interface Base {
  readonly number: number;
  readonly scale?: number;
  readonly unit?: string;
}

/** `12`, `twelve`, `10k`, `5kg`. */
function baseOf(token: Token | undefined, language: Language, isMoney: boolean): Base | undefined {
  if (token === undefined || token.quoted) return undefined;
  if (token.number !== undefined) return { number: token.number };
  const spelled = WORDS[language];
  if (Object.hasOwn(spelled, token.word)) return { number: spelled[token.word]! };
  const [, digits, suffix] = /^(\d+)(\p{L}+)$/u.exec(token.text) ?? [];
  if (digits === undefined || suffix === undefined) return undefined;
  const scale = scaleNamed(suffix, isMoney);
  if (scale !== undefined) return { number: Number(digits), scale };
  const unit = suffix.toLowerCase();
  return measureOf(unit) && { number: Number(digits), unit };
}

function scaleOf(token: Token | undefined, isMoney: boolean): number | undefined {
  return token && scaleNamed(token.text, isMoney);
}

/** "10 m" are metres, unless it is money. */
function scaleNamed(text: string, isMoney: boolean): number | undefined {
  const name = text === 'M' || (text === 'm' && isMoney) ? 'M' : text.toLowerCase();
  return Object.hasOwn(SCALES, name) ? SCALES[name] : undefined;
}

function measureOf(text: string | undefined): Measure | undefined {
  if (text === undefined) return undefined;
  if (Object.hasOwn(MONEY, text)) return { text, names: [MONEY[text]!, text], money: true };
  const names = UNITS.find(spellings => spellings.includes(text));
  return names && { text, names, money: false };
}
