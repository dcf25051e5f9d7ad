import { QUOTE } from '../../base/kernel/ascii.js';
import type { TextBuffer } from '../../engine/storage/copy/text-buffer.js';

/**
 * The first character of a field that makes spreadsheets run it as a formula: = + - @ tab and line ends, also in the full
 * width of East Asian keyboards (OWASP, "CSV Injection").
 */
const DANGEROUS = /^[=+\-@\t\r\n＝＋－＠]/;
/** A negative number is a number for spreadsheets too. */
const NEGATIVE = /^-\d+(\.\d+)?([eE][+-]?\d+)?$/;
const APOSTROPHE = 0x27;
/** Bytes that a dangerous character begins with. */
const FIRST_BYTES = new Set([...Buffer.from('=+-@\t\r\n'), 0xef]);
/** Bytes of the longest number. */
const MAX_NUMBER = 32;
const MAX_CHARACTER = 3;

/** Puts an apostrophe before a text that a spreadsheet would run as a formula. */
export function guardedText(text: string): string {
  return DANGEROUS.test(text) && !NEGATIVE.test(text) ? `'${text}` : text;
}

/** Guards the field that was written last, from `start` on. */
export function guard(to: TextBuffer, start: number): void {
  const isQuoted = to.bytes[start] === QUOTE;
  const first = isQuoted ? start + 1 : start;
  if (first >= to.length || !FIRST_BYTES.has(to.bytes[first] as number)) return;
  if (!DANGEROUS.test(to.bytes.toString('utf8', first, Math.min(to.length, first + MAX_CHARACTER)))) return;
  const isShort = to.length - first <= MAX_NUMBER;
  if (!isQuoted && isShort && NEGATIVE.test(to.bytes.toString('latin1', first, to.length))) return;
  to.reserve(1);
  to.bytes.copyWithin(first + 1, first, to.length);
  to.bytes[first] = APOSTROPHE;
  to.length += 1;
}
