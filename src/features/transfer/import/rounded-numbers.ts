import { NINE, ZERO } from '../../../base/kernel/ascii.js';
import { isJsonObject, type JsonValue } from '../../../base/kernel/json.js';

/** A whole number with fewer digits keeps them all as a double. */
const MIN_DIGITS = 16;
const LONG_NUMBERS = new RegExp(`\\d{${MIN_DIGITS},}`, 'g');
/** Number of digits of the largest double. */
const MAX_DIGITS = 309;
/** Most long numbers of a text that are compared. */
const MAX_NUMBERS = 1_000;
const NONE: readonly string[] = [];

/** The fields of a record, parsed from this text, whose whole numbers lost digits. */
export function roundedFields(text: string, record: unknown): readonly string[] {
  if (!hasLongNumber(text) || !isJsonObject(record)) return NONE;
  const rounded = roundedNumbers(text);
  if (rounded.size === 0) return NONE;
  return Object.keys(record).filter(name => contains(record[name] as JsonValue, rounded));
}

/** True if whole numbers of a value, parsed from this text, lost digits. */
export function isRounded(text: string, value: JsonValue): boolean {
  return hasLongNumber(text) && contains(value, roundedNumbers(text));
}

/** Looks at every sixteenth character, and at those before it while they are digits. Nearly all lines end here. */
function hasLongNumber(text: string): boolean {
  let before = -1;
  for (let end = MIN_DIGITS - 1; end < text.length; end = before + MIN_DIGITS) {
    const last = before;
    for (before = end; before > last && isDigit(text.charCodeAt(before)); before--);
    if (end - before === MIN_DIGITS) return true;
  }
  return false;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}

/** What numbers in the text became, without their sign, if they lost digits. */
function roundedNumbers(text: string): ReadonlySet<number> {
  const rounded = new Set<number>();
  let count = 0;
  for (const [digits] of text.matchAll(LONG_NUMBERS)) {
    const number = Number(digits);
    if (digits.length <= MAX_DIGITS && Number.isFinite(number) && BigInt(digits) !== BigInt(number))
      rounded.add(number);
    if (++count === MAX_NUMBERS) break;
  }
  return rounded;
}

/** Does not recurse: a value that was not checked yet may be nested without limit. */
function contains(value: JsonValue, numbers: ReadonlySet<number>): boolean {
  const left: JsonValue[] = [value];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next === 'number' && numbers.has(Math.abs(next))) return true;
    if (typeof next === 'object' && next !== null) for (const held of Object.values(next)) left.push(held);
  }
  return false;
}
