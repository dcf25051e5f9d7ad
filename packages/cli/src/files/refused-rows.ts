import { realpathSync, type WriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import type { ImportProblem, RefusedRow } from '@typed-collections/client';
import { misuse } from '../exit.js';
import { counted } from '../output/progress.js';
import type { TextFile } from './text-file.js';

/** Problems that are told one by one. The file has all of them. */
const MAX_TOLD = 20;

interface Target {
  readonly path: string;
  readonly stream: WriteStream;
  readonly written: Promise<void>;
}

/** The rows that the service refused: the first ones for the person, all of them for a file. */
export class RefusedRows {
  private count = 0;
  /** Rows that the service returned without their text. */
  private withoutText = 0;
  private readonly first: ImportProblem[] = [];

  private constructor(private readonly target: Target | undefined) {}

  /** Writes the rows to the file at `path`, if there is one, with the header of the imported file. */
  static async to(path: string | undefined, { name, format, sample }: TextFile): Promise<RefusedRows> {
    if (path === undefined) return new RefusedRows(undefined);
    if (name !== '-' && realPath(path) === realPath(name))
      throw misuse('--refused-to: the refused rows would overwrite the file that is imported.');
    const stream = (await open(path, 'w')).createWriteStream();
    const written = finished(stream);
    written.catch(() => undefined);
    // So that the file can be imported after its rows are corrected.
    if (format === 'csv') stream.write(`${sample.split(/\r?\n/, 1)[0]?.replace(/^\uFEFF/, '')}\n`);
    return new RefusedRows({ path, stream, written });
  }

  add(row: RefusedRow): void {
    this.note(row);
    if (row.line === null) this.withoutText += 1;
    else this.target?.stream.write(`${row.line.replace(/\r?\n$/, '')}\n`);
  }

  /** Problems of a refused import, unless its rows are known already. */
  addAll(problems: readonly ImportProblem[]): void {
    if (this.count === 0) for (const problem of problems) this.note(problem);
  }

  /** The first problems by row and column, and how many of all rows are not among them. */
  lines(rows = this.count): string[] {
    const lines = this.first.map(({ row, column, problem }) =>
      column === null ? `row ${row}: ${problem}` : `row ${row}, column ${column}: ${problem}`,
    );
    const more = rows - lines.length;
    if (more > 0) lines.push(`… and ${counted(more, 'more row')}`);
    if (this.withoutText > 0)
      lines.push(`${counted(this.withoutText, 'row')} too long to be written to the file of --refused-to`);
    return lines;
  }

  /** Ends the file, and removes it if no row was refused. */
  async close(): Promise<void> {
    if (this.target === undefined) return;
    const { path, stream, written } = this.target;
    stream.end();
    await written;
    if (this.count === 0) await rm(path);
  }

  private note(problem: ImportProblem): void {
    this.count += 1;
    if (this.first.length < MAX_TOLD) this.first.push(problem);
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
