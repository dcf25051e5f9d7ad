import { invalid } from '../../../base/kernel/errors.js';

/** A pattern, and how far it is read. */
export interface Source {
  readonly text: string;
  at: number;
}

/** 400 that says which part of the pattern cannot be used. */
export function fail(problem: string): Error {
  return invalid(`$regex: ${problem}`);
}

/** Reads what a sticky expression matches; undefined, and nothing is read, when it does not match. */
export function take(source: Source, expression: RegExp): RegExpExecArray | undefined {
  expression.lastIndex = source.at;
  const found = expression.exec(source.text);
  if (found === null) return undefined;
  source.at = expression.lastIndex;
  return found;
}

/** Letters that stand for a control character. */
const CONTROLS: Readonly<Record<string, number>> = { a: 7, e: 0x1b, f: 0xc, n: 0xa, r: 0xd, t: 9 };

const NUMBERS =
  /\\(?:x\{([0-9A-Fa-f]{1,6})\}|x(?!\{)([0-9A-Fa-f]{0,2})|o\{([0-7]{1,7})\}|0([0-7]{0,2})|N\{U\+([0-9A-Fa-f]{1,6})\}|c([ -~]))/y;

/** Reads an escape of one character, in a class or outside. */
export function codePointEscape(source: Source): number {
  NUMBERS.lastIndex = source.at;
  const found = NUMBERS.exec(source.text);
  if (found !== null) {
    const [all, braced, hex, octal, zero, named, control] = found;
    source.at += all.length;
    if (control !== undefined) return control.toUpperCase().charCodeAt(0) ^ 0x40;
    const digits = octal ?? zero;
    const codePoint =
      digits === undefined ? parseInt(braced ?? hex ?? named ?? '', 16) : parseInt(digits || '0', 8);
    return checked(Number.isNaN(codePoint) ? 0 : codePoint);
  }
  const char = source.text.codePointAt(source.at + 1);
  if (char === undefined) throw fail('the pattern ends with \\');
  const text = String.fromCodePoint(char);
  if (Object.hasOwn(CONTROLS, text)) {
    source.at += 2;
    return CONTROLS[text]!;
  }
  if (/^[A-Za-z0-9]$/.test(text)) throw fail(`\\${text} is not supported here`);
  source.at += 1 + text.length;
  return char;
}

function checked(codePoint: number): number {
  if (codePoint > 0x10ffff || (codePoint >= 0xd800 && codePoint <= 0xdfff))
    throw fail('the number of a character is out of range');
  return codePoint;
}
