import { setImmediate as othersRun } from 'node:timers/promises';
import { canonical } from '../filter/update/index.js';
import { type ErrorCode, PlatformError } from '../kernel/errors.js';
import { newId } from '../kernel/id.js';
import type { JsonValue } from '../kernel/json.js';
import { MAX_RECORD_BYTES } from '../kernel/limits.js';
import { type CollectionShape, physicalOf } from '../storage/collection-shape.js';
import type { CopySession } from '../storage/copy/copy-sessions.js';
import { type StagedRange, stageBatch } from '../storage/copy/copy-stage.js';
import { layoutOf, type Misfit, type RecordLayout, type Row } from '../storage/records/record-layout.js';
import type { RowError, RowErrors } from './import-answer.js';
import type { Sent } from './record-decoders.js';
import { lineOf, type RefusedRows } from './refused-rows.js';

/** Limits of a batch: its rows and the characters of their text. */
export const BATCH_ROWS = 1_000;
const BATCH_LENGTH = 4 * 1024 * 1024;

interface Upserted {
  readonly name: string;
  readonly physical: string;
}

/** A row that cannot be staged: its problems, and the error code of an import that they end. */
interface Refusal {
  readonly errors: readonly RowError[];
  readonly code: ErrorCode;
}

/** Validates records and writes them to a temporary table in batches. */
export class ImportStage {
  readonly ranges: StagedRange[] = [];
  /** Number of valid rows. */
  fit = 0;
  private readonly layout: RecordLayout;
  private readonly key: Upserted | undefined;
  private batch = new Map<number | string, Row>();
  /** By the same keys: each row with its text, as JSON text, which keeps no reference to the piece of the file. */
  private lines = new Map<number | string, string[]>();
  private length = 0;
  private hasEnded = false;

  constructor(
    private readonly session: CopySession,
    shape: CollectionShape,
    key: string | undefined,
    private readonly errors: RowErrors,
    private readonly refused: RefusedRows | undefined,
  ) {
    this.layout = layoutOf(shape);
    if (key !== undefined) this.key = { name: key, physical: physicalOf(shape, key) };
  }

  async add(sent: Sent): Promise<void> {
    const staged = this.checked(sent);
    if ('errors' in staged) {
      this.errors.add(staged.errors, staged.code);
      await this.refused?.tell(staged.errors, sent.line);
      return;
    }
    this.fit += 1;
    this.length += staged.length;
    this.collect(sent, staged.row);
    if (this.batch.size >= BATCH_ROWS || this.length >= BATCH_LENGTH) await this.flush();
  }

  /** Writes the last batch. */
  async end(): Promise<void> {
    await this.flush();
    if (this.refused === undefined) return;
    await this.session.query('SAVEPOINT ended');
    this.hasEnded = true;
  }

  /** Ends the transaction without anything that was done since `end`. The texts of the rows stay. */
  async endUnmerged(): Promise<void> {
    if (this.hasEnded) await this.session.query('ROLLBACK TO SAVEPOINT ended');
    await this.session.query('COMMIT');
  }

  /** Writes the current batch. */
  private async flush(): Promise<void> {
    const rows = [...this.batch.values()];
    if (rows.length === 0) return;
    await othersRun();
    const numbers = rows.map(({ n }) => n as number);
    const batch = this.ranges.length;
    if (this.key !== undefined) for (const row of rows) row.d = presence(row);
    await stageBatch(this.session, batch, JSON.stringify(rows), this.linesOfBatch());
    this.ranges.push({ batch, first: Math.min(...numbers), last: Math.max(...numbers) });
    this.batch = new Map();
    this.lines = new Map();
    this.length = 0;
  }

  /** The texts of the rows of this batch by the number under which each is staged (JSON text of StagedLine[]). */
  private linesOfBatch(): string | null {
    if (this.refused === undefined) return null;
    const lines = [...this.batch].map(([key, { n }]) => `[${n},[${this.lines.get(key)?.join()}]]`);
    return `[${lines.join()}]`;
  }

  /**
   * Adds a row to the batch, which has one row per upsert key: later rows of a key overwrite the fields of earlier
   * ones, as single upserts would.
   */
  private collect({ row: number, line }: Sent, row: Row): void {
    const key = this.key === undefined ? number : canonical(row[this.key.physical] ?? null);
    const before = this.batch.get(key);
    const x = before?.x === undefined ? {} : { x: { ...(before.x as object), ...(row.x as object) } };
    this.batch.set(key, { _id: newId(), ...before, ...row, ...x, n: number } as Row);
    if (this.refused === undefined) return;
    const text = JSON.stringify([number, lineOf(line)]);
    this.length += text.length;
    const lines = this.lines.get(key);
    if (lines === undefined) this.lines.set(key, [text]);
    else lines.push(text);
  }

  private checked(sent: Sent): { readonly row: Row; readonly length: number } | Refusal {
    if ('problem' in sent) {
      const code = sent.column === null ? 'InvalidArguments' : 'BatchRejected';
      return refusal(sent.row, sent.column, sent.problem, code);
    }
    const misfits: Misfit[] = [];
    try {
      const row = this.layout.row(sent.record, sent.row, misfits);
      if (this.key !== undefined && isNothing(row[this.key.physical]) && misfits.length === 0)
        misfits.push({
          row: sent.row,
          column: this.key.name,
          problem: 'is the upsert_key and must not be null or absent',
        });
      if (misfits.length > 0) return { errors: misfits, code: 'BatchRejected' };
      const text = JSON.stringify(row);
      if (text.length * 3 > MAX_RECORD_BYTES && Buffer.byteLength(text) > MAX_RECORD_BYTES)
        return refusal(sent.row, null, 'the record is larger than 16 MiB', 'InvalidArguments');
      return { row, length: text.length };
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      return refusal(sent.row, ...placeOf(error.message), 'InvalidArguments');
    }
  }
}

function refusal(row: number, column: string | null, problem: string, code: ErrorCode): Refusal {
  return { errors: [{ row, column, problem }], code };
}

function isNothing(value: JsonValue | undefined): boolean {
  return value === null || value === undefined;
}

/** The columns that were sent, to distinguish null from absent. */
function presence(row: Row): Record<string, number> {
  return Object.fromEntries(Object.keys(row).map(name => [name, 1]));
}

/** Splits a message such as `records.7.a.b: is bad` into the field and the problem. */
function placeOf(message: string): [column: string | null, problem: string] {
  const [, column = '', problem = message] = /^records\.\d+\.?(.*?): (.*)$/s.exec(message) ?? [];
  return [column === '' ? null : column, problem];
}
