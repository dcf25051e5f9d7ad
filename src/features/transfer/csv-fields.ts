import { DOT, NINE, QUOTE, ZERO } from '../../base/kernel/ascii.js';
import type { SentForm } from '../../engine/columns/index.js';
import type { TextBuffer } from '../../engine/storage/copy/text-buffer.js';
import { writeJson } from './json-field.js';

const NEEDS_QUOTES = /[",;\t\r\n]|^$|^\s|\s$/;
const IS_SPACE_AT_EDGE = /^\s|\s$/;
/** By byte: 1 if a field with it needs quotes. */
const QUOTED = table('",;\t\r\n');
/** By byte: 1 if a field that begins or ends with it needs quotes, or may need them because it is not ASCII. */
const SUSPECT_AT_EDGE = table(' \v\f').fill(1, 0x80);
const MINUS = 0x2d;
const EXPONENT = 0x65;
const TRUE = 0x74;
const T = 0x54;
const Z = 0x5a;
/** Lengths of `2026-01-31` and `2026-01-31 09:30:00`. */
const DAY_LENGTH = 10;
const SECONDS_LENGTH = 19;

/** The CSV field of a text. `""` is an empty text, because an empty field is null. */
export function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The CSV field of a header, in which an import could take `|` for a delimiter. */
export function quotedHeader(name: string): string {
  return name.includes('|') ? `"${name.replaceAll('"', '""')}"` : quoted(name);
}

/** Writes the CSV field of a value that PostgreSQL has sent as the bytes from `start` to `end` of `source`. */
type WriteField = (source: Buffer, start: number, end: number, to: TextBuffer) => void;

/** The values are short, so loops take less time than calls of native code. */
export const FIELDS: Readonly<Record<SentForm, WriteField>> = {
  plain: writePlain,
  boolean: (source, start, _, to) => to.text(source[start] === TRUE ? 'true' : 'false'),
  double: writeDouble,
  instant: writeInstant,
  text: writeText,
  json: writeJson,
};

function writePlain(source: Buffer, start: number, end: number, to: TextBuffer): void {
  to.reserve(end - start);
  const { bytes } = to;
  let at = to.length;
  for (let from = start; from < end; from++) bytes[at++] = source[from] as number;
  to.length = at;
}

/**
 * PostgreSQL and JavaScript write the same digits, but begin to write exponents at other magnitudes and write them in other
 * ways, and JavaScript writes −0 as 0.
 */
function writeDouble(source: Buffer, start: number, end: number, to: TextBuffer): void {
  const isMinusZero = end - start === 2 && source[start] === MINUS && source[start + 1] === ZERO;
  let at = start;
  while (at < end && source[at] !== EXPONENT) at++;
  if (at === end && !isMinusZero) writePlain(source, start, end, to);
  else to.text(String(Number(source.toString('latin1', start, end))));
}

/**
 * PostgreSQL sends `2026-01-31 09:30:00.25+00`: in UTC, and without the zeros at the end of the fraction. The file has
 * `2026-01-31T09:30:00.250Z`.
 */
function writeInstant(source: Buffer, start: number, end: number, to: TextBuffer): void {
  writePlain(source, start, start + SECONDS_LENGTH, to);
  to.reserve(5);
  const { bytes } = to;
  bytes[to.length - SECONDS_LENGTH + DAY_LENGTH] = T;
  let at = to.length;
  bytes[at++] = DOT;
  let from = start + SECONDS_LENGTH;
  if (source[from] === DOT) from += 1;
  for (let digits = 0; digits < 3; digits++) {
    const byte = from < end ? (source[from] as number) : 0;
    if (byte >= ZERO && byte <= NINE) from += 1;
    bytes[at++] = byte >= ZERO && byte <= NINE ? byte : ZERO;
  }
  bytes[at++] = Z;
  to.length = at;
}

function writeText(source: Buffer, start: number, end: number, to: TextBuffer): void {
  if (needsQuotesAtEdge(source, start, end) || !isCopied(source, start, end, to))
    writeQuoted(source, start, end, to);
}

/** False, and nothing is written, if the text needs quotes for a character in it. */
function isCopied(source: Buffer, start: number, end: number, to: TextBuffer): boolean {
  to.reserve(end - start);
  const { bytes } = to;
  let at = to.length;
  for (let from = start; from < end; from++) {
    const byte = source[from] as number;
    if (QUOTED[byte] === 1) return false;
    bytes[at++] = byte;
  }
  to.length = at;
  return true;
}

function needsQuotesAtEdge(source: Buffer, start: number, end: number): boolean {
  if (start === end) return true;
  const isSuspect =
    SUSPECT_AT_EDGE[source[start] as number] === 1 || SUSPECT_AT_EDGE[source[end - 1] as number] === 1;
  return isSuspect && IS_SPACE_AT_EDGE.test(source.toString('utf8', start, end));
}

function writeQuoted(source: Buffer, start: number, end: number, to: TextBuffer): void {
  to.reserve(2 * (end - start) + 2);
  const { bytes } = to;
  let at = to.length;
  bytes[at++] = QUOTE;
  for (let from = start; from < end; from++) {
    const byte = source[from] as number;
    if (byte === QUOTE) bytes[at++] = QUOTE;
    bytes[at++] = byte;
  }
  bytes[at++] = QUOTE;
  to.length = at;
}

function table(characters: string): Uint8Array {
  const bytes = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) bytes[byte] = 1;
  return bytes;
}
