import { PlatformError } from '../kernel/errors.js';

/** The fields of a record as text; null where nothing stands, not even quotes. */
export type CsvFields = readonly (string | null)[];

/** A record that breaks the rules of quoting, and how. */
export interface CsvFlaw {
  readonly flaw: string;
}

/** Of one record as text: what a record may hold at most (wire contract, Objects), in characters. */
export const MAX_RECORD_LENGTH = 16 * 1024 * 1024;

/** Of one record; longer headers are rubbish, and no record has more fields than its header. */
const MAX_FIELDS = 10_000;
/** Characters from which on quotes are undoubled in place: `replaceAll` is ten times slower with millions of them. */
const MANY = 64 * 1024;
const QUOTE = 0x22;
const BEHIND_QUOTE = 'something stands between a closing quote and the end of its field';
const IN_FIELD = 'a quote stands in a field that is not quoted: quote the field and double the quotes in it';

interface Scanned {
  readonly record: CsvFields | CsvFlaw;
  readonly next: number;
}

/**
 * Reads records as RFC 4180 has them, with any line end, from text that comes in pieces. Other than csv libraries it
 * tells `""` from nothing at the price of reading, and goes on behind a record with a flaw.
 */
export class CsvReader {
  private text = '';
  /** A record that is not whole yet is tried again only when twice as much has come, so that long ones cost no more. */
  private enough = 0;
  private readonly plain: RegExp;

  constructor(private readonly delimiter: string) {
    this.plain = new RegExp(`[^${delimiter}\r\n"]*`, 'y');
  }

  /** The records that are whole with this piece. Throws 413 for one that is too long. */
  *read(piece: string, isLast: boolean): Generator<CsvFields | CsvFlaw> {
    this.text += piece;
    if (this.text.length < this.enough && !isLast) return;
    let at = 0;
    while (at < this.text.length) {
      const scanned = this.scan(at, isLast);
      if (scanned === undefined) break;
      yield scanned.record;
      at = scanned.next;
    }
    this.text = this.text.slice(at);
    if (this.text.length > MAX_RECORD_LENGTH) throw recordTooLong();
    this.enough = this.text.length * 2;
  }

  /** The record that begins at `start`; undefined when its end is still to come. */
  private scan(start: number, isLast: boolean): Scanned | undefined {
    const { text, delimiter } = this;
    const fields: (string | null)[] = [];
    for (let at = start; ; at++) {
      const isQuoted = text[at] === '"';
      const end = isQuoted ? this.endOfQuoted(at, isLast) : this.endOfPlain(at);
      if (end === undefined) {
        return isLast ? { record: { flaw: 'a quoted field is never closed' }, next: text.length } : undefined;
      }
      // The last character may be the first half of a line end.
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

  /** The position behind the closing quote; undefined when it may still come. */
  private endOfQuoted(opening: number, isLast: boolean): number | undefined {
    for (let at = opening + 1; ; at += 2) {
      at = this.text.indexOf('"', at);
      if (at < 0 || (at === this.text.length - 1 && !isLast)) return undefined;
      if (this.text[at + 1] !== '"') return at + 1;
    }
  }

  /** What comes behind a flaw is read from the next line on. */
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

/** Every quote is the first of two: what follows it is left out. */
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
