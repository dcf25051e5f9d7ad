import type { CopySession } from '../../../engine/storage/copy/copy-sessions.js';
import {
  type StagedRange,
  stagedLines,
  storedRefused,
  storeRefused,
} from '../../../engine/storage/copy/copy-stage.js';
import type { ImportAnswer, RowError } from './import-answer.js';

/** Characters of the text of a refused row. A part of a longer one could not be imported again, so it has none. */
const MAX_LINE_LENGTH = 65_536;
/** Problems of one row in its line. */
const MAX_PROBLEMS = 20;
/** Characters of the answer that are stored or sent at once. */
const PIECE_LENGTH = 256 * 1024;
/** Time in which a client must go on reading. Otherwise the import continues and sends the remaining lines at its end. */
const READ_WITHIN_MS = 1_000;

/** The text of a row for its line in the answer; null when it is too long. */
export function lineOf(text = ''): string | null {
  return text.length > MAX_LINE_LENGTH ? null : text;
}

/** A line of the answer. `column` and `problem` are those of the first problem; `problem` names the others too. */
function refusedLine(row: number, errors: readonly Omit<RowError, 'row'>[], line: string | null): string {
  const [first] = errors as [RowError];
  const others = errors.slice(1, MAX_PROBLEMS).map(({ column, problem }) => `; ${column}: ${problem}`);
  const note =
    line === null ? ` (its text is not repeated: it is longer than ${MAX_LINE_LENGTH} characters)` : '';
  const problem = `${first.problem}${others.join('')}${note}`;
  return `${JSON.stringify({ refused: { row, column: first.column, problem, line } })}\n`;
}

/**
 * Reports every refused row with its text to the client (`refused=all`). Rows that are refused while the file is read are
 * sent at once if the client reads. If it does not, they are stored and sent afterwards: many clients read only after
 * they have sent everything, and would otherwise wait for the service while the service waits for them. Rows that the
 * database refuses are sent after the transaction has ended, so that no lock is held while the client reads, and
 * attempts that were rolled back are not reported.
 */
export class RefusedRows {
  /** Lines of the answer that are not stored yet. */
  private rest = '';
  private stored = 0;
  private isLate = false;
  /** Rows refused by the database: one byte for each row of the file, 0 or the number of its problem. */
  private marks = new Uint8Array();
  private problems: Omit<RowError, 'row'>[] = [];

  constructor(
    private readonly session: CopySession,
    private readonly answer: ImportAnswer,
  ) {}

  /** Sends or stores a row that was refused while the file is read. */
  async report(errors: readonly RowError[], text: string | undefined): Promise<void> {
    const line = refusedLine((errors[0] as RowError).row, errors, lineOf(text));
    this.isLate ||= !(await this.answer.isReadWithin(READ_WITHIN_MS));
    if (!this.isLate) {
      this.answer.write(line);
      return;
    }
    this.rest += line;
    if (this.rest.length < PIECE_LENGTH) return;
    await storeRefused(this.session, this.stored, this.rest);
    this.stored += 1;
    this.rest = '';
  }

  /** Adds rows that the database refused. */
  mark(errors: readonly RowError[]): void {
    for (const { row, column, problem } of errors) {
      if (row >= this.marks.length) {
        const longer = new Uint8Array(Math.max(row + 1, 2 * this.marks.length));
        longer.set(this.marks);
        this.marks = longer;
      }
      const known = this.problems.findIndex(each => each.column === column && each.problem === problem);
      this.marks[row] = known >= 0 ? known + 1 : this.problems.push({ column, problem });
    }
  }

  /** Forgets the rows that the database refused, when its attempt is rolled back. */
  rewind(): void {
    this.marks = new Uint8Array();
    this.problems = [];
  }

  /** The lines that have not been sent, in pieces. Reads them from the session, whose transaction must have ended. */
  async *unsent(ranges: readonly StagedRange[]): AsyncGenerator<string> {
    for (let piece = 0; piece < this.stored; piece++) yield storedRefused(this.session, piece);
    let lines = this.rest;
    for (const { batch, first, last } of ranges) {
      if (!this.marks.subarray(first, last + 1).some(mark => mark > 0)) continue;
      for (const [number, rows] of await stagedLines(this.session, batch)) {
        const problem = this.problems[(this.marks[number] ?? 0) - 1];
        if (problem === undefined) continue;
        for (const [row, line] of rows) lines += refusedLine(row, [problem], line);
        if (lines.length < PIECE_LENGTH) continue;
        yield lines;
        lines = '';
      }
    }
    if (lines !== '') yield lines;
  }
}
