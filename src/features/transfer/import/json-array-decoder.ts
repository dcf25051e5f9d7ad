import { BACKSLASH, COMMA, QUOTE } from '../../../base/kernel/ascii.js';
import { invalid } from '../../../base/kernel/errors.js';
import { MAX_RECORD_BYTES } from '../../../base/kernel/limits.js';
import { recordTooLong } from './csv-reader.js';
import { type Decoder, type Sent, type SentColumns, sentJson } from './record-decoders.js';

const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** Outside of texts, where JSON has none. */
const LINE_ENDS = /\s*[\r\n]\s*/g;
const NOT_A_LIST = 'The body must be a JSON array of records. Send lines of JSON as application/x-ndjson.';

/** Reads the records of a JSON array. Only finds where an element ends; its text is then parsed like a line of NDJSON. */
export class JsonArrayDecoder implements Decoder {
  /** The text of the present element in earlier pieces. */
  private parts: string[] = [];
  private length = 0;
  private depth = 0;
  private isInText = false;
  private isEscaped = false;
  private place: 'before' | 'inside' | 'behind' = 'before';
  private row = 0;

  /** `withLines`: each row comes with its text in one line. */
  constructor(
    private readonly withLines = false,
    private readonly columns?: SentColumns,
  ) {}

  take(piece: string, isLast: boolean): Sent[] {
    const sent: Sent[] = [];
    let start = 0;
    if (this.place === 'before') start = this.begin(piece);
    for (let at = start; at < piece.length && this.place === 'inside'; at++) {
      if (this.isInText) {
        at = this.endOfText(piece, at);
        continue;
      }
      const code = piece.charCodeAt(at);
      if (code === QUOTE) this.isInText = true;
      else if (code === OPEN_OBJECT || code === OPEN_LIST) this.depth += 1;
      else if (this.depth > 0 && (code === CLOSE_OBJECT || code === CLOSE_LIST)) this.depth -= 1;
      else if (this.depth === 0 && (code === COMMA || code === CLOSE_LIST)) {
        this.element(piece.slice(start, at), code === CLOSE_LIST, sent);
        start = at + 1;
      }
    }
    const rest = piece.slice(start);
    if (this.place === 'behind' && rest.trim() !== '')
      throw invalid('There is text after the end of the JSON array.');
    if (this.place === 'inside') this.keep(rest);
    if (isLast && this.place !== 'behind')
      throw invalid(this.place === 'before' ? NOT_A_LIST : 'The JSON array has no end: the file is cut.');
    return sent;
  }

  private begin(piece: string): number {
    const at = piece.search(/\S/);
    if (at < 0) return piece.length;
    if (piece[at] !== '[') throw invalid(NOT_A_LIST);
    this.place = 'inside';
    return at + 1;
  }

  /** The position of the quote that ends a text, or the end of the piece. */
  private endOfText(piece: string, from: number): number {
    for (let at = from; at < piece.length; at++) {
      const code = piece.charCodeAt(at);
      if (this.isEscaped) this.isEscaped = false;
      else if (code === BACKSLASH) this.isEscaped = true;
      else if (code === QUOTE) {
        this.isInText = false;
        return at;
      }
    }
    return piece.length;
  }

  private element(end: string, isLast: boolean, sent: Sent[]): void {
    this.keep(end);
    const text = this.parts.join('').trim();
    this.parts = [];
    this.length = 0;
    if (isLast) this.place = 'behind';
    if (isLast && text === '' && this.row === 0) return;
    this.row += 1;
    const row = { row: this.row, ...(this.withLines && { line: text.replace(LINE_ENDS, ' ') }) };
    sent.push(sentJson(text, row, this.columns));
  }

  private keep(text: string): void {
    this.length += text.length;
    if (this.length > MAX_RECORD_BYTES) throw recordTooLong();
    this.parts.push(text);
  }
}
