import { LineBuffer } from '../transfer/lines.js';

/** One event of a stream of Server-Sent Events. Without `data`, it only carries a position. */
export interface StreamEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string | undefined;
}

/** Parses Server-Sent Events (HTML standard, 9.2.6), which may arrive in pieces of any size. */
export class EventParser {
  /** The wait before a reconnection that the service asks for, in milliseconds. */
  retryMs: number | undefined;
  private readonly lines = new LineBuffer(/\r\n|\n|\r/);
  private isAfterCr = false;
  private event = 'message';
  private id: string | undefined;
  private data: string | undefined;

  /** The events that are complete with this text. Comments make none. */
  *push(text: string): Generator<StreamEvent, void, undefined> {
    if (text === '') return;
    // A CR at the end of a piece was a line end, also if its LF begins the next piece.
    const piece = this.isAfterCr && text.startsWith('\n') ? text.slice(1) : text;
    this.isAfterCr = text.endsWith('\r');
    for (const line of this.lines.push(piece)) {
      if (line !== '') {
        this.field(line);
        continue;
      }
      const { event, id, data } = this;
      if (id !== undefined || data !== undefined) yield { event, id, data };
      this.event = 'message';
      this.id = undefined;
      this.data = undefined;
    }
  }

  private field(line: string): void {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') this.event = value;
    else if (name === 'id') this.id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
    else if (name === 'data') this.data = this.data === undefined ? value : `${this.data}\n${value}`;
  }
}
