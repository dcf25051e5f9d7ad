import { QUOTE } from '../../base/kernel/ascii.js';
import { DANGEROUS, NEGATIVE } from '../../base/kernel/formula-guard.js';
import type { TextBuffer } from '../../engine/storage/copy/text-buffer.js';

const APOSTROPHE = 0x27;
/** Bytes that a dangerous character begins with. */
const FIRST_BYTES = new Set([...Buffer.from('=+-@\t\r\n'), 0xef]);
/** Bytes of the longest number. */
const MAX_NUMBER = 32;
const MAX_CHARACTER = 3;

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
