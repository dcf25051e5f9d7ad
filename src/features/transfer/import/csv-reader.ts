import { QUOTE } from '../../../base/kernel/ascii.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { MAX_RECORD_BYTES } from '../../../base/kernel/limits.js';

/** The fields of a record as text. An empty field without quotes is null. */
export type CsvFields = readonly (string | null)[];

/** A record that breaks the rules of quoting, with the reason. */
export interface CsvFlaw {
  readonly flaw: string;
}

/** Maximum number of fields of a record or header. */
const MAX_FIELDS = 10_000;
/** Length from which quotes are undoubled in a buffer: `replaceAll` is ten times slower with millions of quotes. */
const MANY = 64 * 1024;
const LINE_END = /(?:\r\n|\r|\n)$/;
const BEHIND_QUOTE = 'there is text after the closing quote of a field';
const IN_FIELD = 'there is a quote in an unquoted field: put the field in quotes and double each quote in it';

interface Scanned {
  readonly record: CsvFields | CsvFlaw;
  readonly next: number;
}

/**
 * Reads CSV records (RFC 4180) with any line end from text in pieces. Unlike CSV libraries, it distinguishes `""` from
 * an empty field without extra cost, and continues after a broken record.
 */
export class CsvReader {
  private text = '';
  /** An incomplete record is scanned again when the text has doubled, so that the cost of long records stays linear. */
  private enough = 0;
  /** Where the record begins and ends that was yielded last. */
  private start = 0;
  private end = 0;
  private readonly plain: RegExp;

  constructor(private readonly delimiter: string) {
    this.plain = new RegExp(`[^\\u${delimiter.charCodeAt(0).toString(16).padStart(4, '0')}\r\n"]*`, 'y');
  }

  /** Returns the records that this piece completes. Throws 413 for a record that is too long. */
  *read(piece: string, isLast: boolean): Generator<CsvFields | CsvFlaw> {
    this.text += piece;
    if (this.text.length < this.enough && !isLast) return;
    let at = 0;
    while (at < this.text.length) {
      const scanned = this.scan(at, isLast);
      if (scanned === undefined) break;
      this.start = at;
      this.end = scanned.next;
      yield scanned.record;
      at = scanned.next;
    }
    this.text = this.text.slice(at);
    if (this.text.length > MAX_RECORD_BYTES) throw recordTooLong();
    this.enough = Math.min(this.text.length * 2, MAX_RECORD_BYTES + 1);
  }

  /** The text of the record that `read` yielded last, with its quotes and without its line end. */
  lastText(): string {
    return this.text.slice(this.start, this.end).replace(LINE_END, '');
  }

  /** The record that begins at `start`; undefined when it is incomplete. */
  private scan(start: number, isLast: boolean): Scanned | undefined {
    const { text, delimiter } = this;
    const fields: (string | null)[] = [];
    for (let at = start; ; at++) {
      const isQuoted = text[at] === '"';
      const end = isQuoted ? this.endOfQuoted(at, isLast) : this.endOfPlain(at);
      if (end === undefined) {
        return isLast
          ? { record: { flaw: 'a quoted field has no closing quote' }, next: text.length }
          : undefined;
      }
      // The last character may be the first one of a two-character line end.
      if (end >= text.length - 1 && !isLast) return undefined;
      fields.push(isQuoted ? unquoted(text.slice(at + 1, end - 1)) : end === at ? null : text.slice(at, end));
      if (fields.length > MAX_FIELDS) return this.flawed(end, `has more than ${MAX_FIELDS} fields`, isLast);
      if (text[end] === delimiter) {
        at = end;
        continue;
      }
      const lineEnd = lineEndLength(text, end);
      if (lineEnd > 0 || end === text.length) return { record: fields, next: end + lineEnd };
      return this.flawed(end, isQuoted ? BEHIND_QUOTE : IN_FIELD, isLast);
    }
  }

  private endOfPlain(at: number): number {
    this.plain.lastIndex = at;
    this.plain.test(this.text);
    return this.plain.lastIndex;
  }

  /** The position after the closing quote; undefined when the next piece may contain it. */
  private endOfQuoted(opening: number, isLast: boolean): number | undefined {
    for (let at = opening + 1; ; at += 2) {
      at = this.text.indexOf('"', at);
      if (at < 0 || (at === this.text.length - 1 && !isLast)) return undefined;
      if (this.text[at + 1] !== '"') return at + 1;
    }
  }

  /** Continues with the next line after a broken record. */
  private flawed(at: number, flaw: string, isLast: boolean): Scanned | undefined {
    const lineEnd = this.text.indexOf('\n', at);
    if (lineEnd < 0 && !isLast) return undefined;
    return { record: { flaw }, next: lineEnd < 0 ? this.text.length : lineEnd + 1 };
  }
}

export function recordTooLong(): PlatformError {
  return new PlatformError('PayloadTooLarge', 'A record or line is longer than 16 MiB.');
}

function unquoted(text: string): string {
  if (!text.includes('"')) return text;
  return text.length < MANY ? text.replaceAll('""', '"') : unquotedAtOnce(text);
}

/** Every quote is the first of a pair; the second one is dropped. */
function unquotedAtOnce(text: string): string {
  const bytes = Buffer.from(text, 'utf16le');
  const codes = new Uint16Array(bytes.buffer, bytes.byteOffset, text.length);
  let to = 0;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] as number;
    codes[to++] = code;
    if (code === QUOTE) at++;
  }
  return bytes.toString('utf16le', 0, 2 * to);
}

function lineEndLength(text: string, at: number): number {
  if (text[at] === '\n') return 1;
  if (text[at] !== '\r') return 0;
  return text[at + 1] === '\n' ? 2 : 1;
}
