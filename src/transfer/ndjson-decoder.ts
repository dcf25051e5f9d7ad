import { isTextOfTooMany, MAX_VALUES } from '../kernel/value-count.js';
import { MAX_RECORD_LENGTH, recordTooLong } from './csv-reader.js';
import type { Decoder, Sent } from './decoder.js';

/** One JSON object a line; empty lines are passed over. */
export class NdjsonDecoder implements Decoder {
  private rest = '';
  private row = 0;

  take(piece: string, isLast: boolean): Sent[] {
    const sent: Sent[] = [];
    let start = 0;
    for (let end = piece.indexOf('\n'); end >= 0; end = piece.indexOf('\n', start)) {
      this.line(this.rest + piece.slice(start, end), sent);
      this.rest = '';
      start = end + 1;
    }
    this.rest += piece.slice(start);
    if (this.rest.length > MAX_RECORD_LENGTH) throw recordTooLong();
    if (isLast) this.line(this.rest, sent);
    return sent;
  }

  private line(line: string, sent: Sent[]): void {
    if (line.trim() === '') return;
    this.row += 1;
    if (isTextOfTooMany(line)) {
      sent.push({ row: this.row, column: null, problem: `more than ${MAX_VALUES} values` });
      return;
    }
    try {
      sent.push({ row: this.row, record: JSON.parse(line) });
    } catch (error) {
      const problem = `is no valid JSON: ${(error as Error).message.slice(0, 200)}`;
      sent.push({ row: this.row, column: null, problem });
    }
  }
}
