import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { type Deadline, timeLeft } from '../../../base/kernel/bounds/deadline.js';
import { type ErrorCode, PlatformError } from '../../../base/kernel/errors.js';
import { keepPace, type PaceSettings, STALL_MS } from '../../../platform/http/transfer-pace.js';

/** The problem of a row. `column` is null when it concerns the whole row. */
export interface RowError {
  readonly row: number;
  readonly column: string | null;
  readonly problem: string;
}

export const MAX_REPORTED = 100;

/** Collects the rows that cannot be imported: the number of all, and the first 100 errors. */
export class RowErrors {
  private errors: readonly RowError[] = [];
  private lastRow = 0;
  /** Rows with at least one error. */
  rows = 0;
  /** Error code of the first error. */
  private code: ErrorCode | undefined;
  private marked: { readonly errors: readonly RowError[]; readonly rows: number } = { errors: [], rows: 0 };

  /** Adds the errors of one row. */
  add(errors: readonly RowError[], code: ErrorCode): void {
    this.code ??= code;
    this.count(1);
    this.report(errors);
  }

  count(rows: number): void {
    this.rows += rows;
  }

  report(errors: readonly RowError[]): void {
    if (this.errors.length >= MAX_REPORTED && errors.every(({ row }) => row >= this.lastRow)) return;
    this.errors = [...this.errors, ...errors].sort((a, b) => a.row - b.row).slice(0, MAX_REPORTED);
    this.lastRow = this.errors.at(-1)?.row ?? 0;
  }

  /** Stores the state for `rewind`, which can be called any number of times. */
  mark(): void {
    this.marked = { errors: this.errors, rows: this.rows };
  }

  rewind(): void {
    this.errors = this.marked.errors;
    this.rows = this.marked.rows;
    this.lastRow = this.errors.at(-1)?.row ?? 0;
  }

  get reported(): readonly RowError[] {
    return this.errors;
  }

  /** The error that refuses the whole import. */
  refusal(): PlatformError {
    const [first] = this.errors;
    const where =
      first && `row ${first.row}${first.column === null ? '' : `, ${first.column}`}: ${first.problem}`;
    return new PlatformError(this.code ?? 'BatchRejected', `Nothing was written: ${where}`, this.errors);
  }
}

/** The last line of an answer. */
export function lastLine(summary: object): string {
  return `${JSON.stringify({ done: true, ...summary })}\n`;
}

/**
 * The answer to an import: one JSON object per line. Before the first line an error has its own HTTP status. After it
 * the status is 200, and the last line has the result.
 */
export class ImportAnswer {
  constructor(private readonly response: Response) {}

  get hasBegun(): boolean {
    return this.response.headersSent;
  }

  get isDisconnected(): boolean {
    return this.response.closed || (this.response.socket?.destroyed ?? true);
  }

  assertConnected(): void {
    if (this.isDisconnected) throw new Error('the client has disconnected');
  }

  /** Skips the line when the client does not read, because many clients read only after they have sent everything. */
  progress(phase: 'reading' | 'writing', rows: number): void {
    this.begin();
    if (!this.response.writableNeedDrain) this.line({ done: false, phase, rows });
  }

  /** Writes lines whether or not the client reads. */
  write(lines: string): void {
    this.begin();
    this.response.write(lines);
  }

  /** Waits until the client has read most of what was written, at most for this time. False when it has not. */
  async isReadWithin(milliseconds: number): Promise<boolean> {
    this.assertConnected();
    if (!this.response.writableNeedDrain) return true;
    await this.drained(milliseconds);
    this.assertConnected();
    return !this.response.writableNeedDrain;
  }

  /**
   * Writes lines as fast as the client reads them. Disconnects a client that reads more slowly than the minimum rate, or
   * not to the end by `endsAt`.
   */
  async stream(pieces: AsyncIterable<string>, pace: PaceSettings, endsAt: Deadline): Promise<void> {
    const { response } = this;
    const end = () => this.disconnect();
    const stopPace = keepPace(
      {
        moved: () => response.socket?.bytesWritten ?? 0,
        // Many clients read only after they have sent everything.
        isWaiting: () => response.writableNeedDrain && response.req.complete,
        end,
      },
      pace,
    );
    const late = setTimeout(end, timeLeft(endsAt));
    response.setTimeout(STALL_MS, end);
    try {
      for await (const lines of pieces) {
        this.assertConnected();
        this.write(lines);
        if (response.writableNeedDrain) await this.drained();
      }
      this.assertConnected();
    } finally {
      response.setTimeout(0);
      clearTimeout(late);
      stopPace();
    }
  }

  /** Closes the connection, so that an incomplete answer does not look complete. */
  disconnect(): void {
    this.response.destroy();
  }

  end(summary: object): void {
    this.repeat(lastLine(summary));
  }

  /** Ends with this last line, for example the stored one of an idempotent retry. */
  repeat(line: string): void {
    this.begin();
    const { response } = this;
    response.write(line);
    if (response.req.complete) response.end();
    else void allSent(response.req).then(() => response.end());
  }

  private begin(): void {
    if (this.hasBegun) return;
    this.response.writeHead(200, { 'Content-Type': 'application/x-ndjson; charset=utf-8' });
  }

  private line(value: object): void {
    this.response.write(`${JSON.stringify(value)}\n`);
  }

  /** Resolves when the client has read, has disconnected, or after the time. */
  private drained(milliseconds?: number): Promise<void> {
    const { response } = this;
    return new Promise(resolve => {
      const done = () => {
        clearTimeout(timer);
        response.off('drain', done).off('close', done);
        resolve();
      };
      const timer = milliseconds === undefined ? undefined : setTimeout(done, milliseconds);
      response.on('drain', done).on('close', done);
    });
  }
}

/** How long the answer stays open for a client that goes on sending. */
const SENDING_MS = 5_000;

/**
 * Resolves when the client has sent everything, has disconnected, or after the time. A connection that is closed while its
 * client sends is reset, and the client loses what it has not read of the answer.
 */
function allSent(request: IncomingMessage): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, SENDING_MS);
    request.once('end', done).once('close', done);
  });
}
