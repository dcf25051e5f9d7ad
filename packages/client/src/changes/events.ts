/** One event of a stream of Server-Sent Events. Without `data`, it only carries a position. */
export interface StreamEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string | undefined;
}

/** Parses Server-Sent Events (HTML standard, 9.2.6), which may arrive in pieces of any size. */
export class EventParser {
  private rest = '';
  private event = 'message';
  private id: string | undefined;
  private data: string | undefined;

  /** The events that are complete with this text. Comments make none. */
  *push(text: string): Generator<StreamEvent, void, undefined> {
    // A CR at the end may be the first half of a CRLF, so it waits for the next piece.
    const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() as string;
    for (const line of lines) {
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
    else if (name === 'data') this.data = this.data === undefined ? value : `${this.data}\n${value}`;
  }
}
