import type { Response } from 'express';

/** The line that ends an answer. */
export function lastLine(summary: object): string {
  return `${JSON.stringify({ done: true, ...summary })}\n`;
}

/**
 * The answer to an import: one JSON object a line. Until the first line nothing is decided, and a refusal has its own
 * status; from then on the status is 200, and the last line tells how it ended.
 */
export class ImportAnswer {
  constructor(private readonly response: Response) {}

  get hasBegun(): boolean {
    return this.response.headersSent;
  }

  /** True when nobody waits for the answer any more. */
  get isGone(): boolean {
    return this.response.closed || (this.response.socket?.destroyed ?? true);
  }

  refuseGone(): void {
    if (this.isGone) throw new Error('the client has gone');
  }

  /** A client that reads nothing while it sends must not be waited for: it misses lines instead. */
  progress(phase: 'reading' | 'writing', rows: number): void {
    this.begin();
    if (!this.response.writableNeedDrain) this.line({ done: false, phase, rows });
  }

  end(summary: object): void {
    this.repeat(lastLine(summary));
  }

  /** Ends with the last line of an equal import. */
  repeat(line: string): void {
    this.begin();
    this.response.end(line);
  }

  private begin(): void {
    if (this.hasBegun) return;
    this.response.writeHead(200, { 'Content-Type': 'application/x-ndjson; charset=utf-8' });
  }

  private line(value: object): void {
    this.response.write(`${JSON.stringify(value)}\n`);
  }
}
