import { type Lexicon, THINGS, valueIn } from '../lexicon/lexicon.js';
import type { Token } from './tokenize.js';

/** The unit of a number, as it may also appear in the name of a column. */
export interface Measure {
  readonly text: string;
  /** Its spellings. Those that can be part of a column's name come first. */
  readonly names: readonly string[];
  readonly money: boolean;
}

interface Found {
  readonly number: number;
  readonly scale?: number | undefined;
  readonly measure?: Measure | undefined;
}

/** A number in digits or letters, its scale (`10k`, `2 million`) and its unit (`€100`, `30 days`). */
export function numberAt(tokens: readonly Token[], at: number, lexicon: Lexicon) {
  const symbol = ['€', '$', '£'].find(each => each === tokens[at]!.word);
  const start = at + (symbol === undefined ? 0 : 1);
  const isMoney = (token: Token | undefined) =>
    symbol !== undefined || valueIn<string>(THINGS.money, token?.word) !== undefined;
  const base = baseOf(tokens[start], lexicon, isMoney(tokens[start + 1]));
  if (base === undefined) return undefined;
  if (base.measure) return { ...base, length: start + 1 - at };
  const after = base.scale ? undefined : scaleOf(tokens[start + 1]?.text, isMoney(tokens[start + 2]));
  const end = start + (after === undefined ? 1 : 2);
  const measure = measureOf(symbol ?? tokens[end]?.word);
  const length = end - at + (measure && symbol === undefined ? 1 : 0);
  return { number: base.number * (base.scale ?? after ?? 1), ...(measure && { measure }), length };
}

/** `12`, `twelve`, `10k`, `5kg`. */
function baseOf(token: Token | undefined, { numbers }: Lexicon, isMoney: boolean): Found | undefined {
  if (token === undefined || token.quoted) return undefined;
  const number = token.number ?? valueIn<number>(numbers, token.word);
  if (number !== undefined) return { number };
  const [, digits, suffix] = /^(\d+)(\p{L}+)$/u.exec(token.text) ?? [];
  const scale = scaleOf(suffix, isMoney);
  const measure = scale === undefined ? measureOf(suffix?.toLowerCase()) : undefined;
  if ((scale ?? measure) === undefined) return undefined;
  return { number: Number(digits), ...(scale ? { scale } : { measure }) };
}

/** "10 m" means metres, unless the number is money. */
function scaleOf(text: string | undefined, isMoney: boolean): number | undefined {
  const name = text === 'M' || (text === 'm' && isMoney) ? 'M' : text?.toLowerCase();
  return valueIn<number>(THINGS.scales, name);
}

function measureOf(text: string | undefined): Measure | undefined {
  if (text === undefined) return undefined;
  const currency = valueIn<string>(THINGS.money, text);
  if (currency !== undefined) return { text, names: [currency, text], money: true };
  const names = THINGS.units.find(spellings => spellings.includes(text));
  return names && { text, names, money: false };
}
