import { ownTurn } from '../../../base/kernel/bounds/own-turn.js';
import { type ErrorCode, PlatformError } from '../../../base/kernel/errors.js';
import { newId } from '../../../base/kernel/id.js';
import type { JsonObject, JsonValue } from '../../../base/kernel/json.js';
import { MAX_RECORD_BYTES } from '../../../base/kernel/limits.js';
import { canonical } from '../../../engine/filter/update/index.js';
import { type CollectionShape, physicalOf } from '../../../engine/storage/collection-shape.js';
import type { CopySession } from '../../../engine/storage/copy/copy-sessions.js';
import { type StagedRange, stageBatch } from '../../../engine/storage/copy/copy-stage.js';
import {
  layoutOf,
  MergedRow,
  type Misfit,
  type RecordLayout,
  type Row,
} from '../../../engine/storage/records/record-layout.js';
import type { FieldNotes } from './field-notes.js';
import type { RowError, RowErrors } from './import-answer.js';
import type { Sent } from './record-decoders.js';
import { lineOf, type RefusedRows } from './refused-rows.js';

/** Limits of a batch: its rows and the characters of their text. */
export const BATCH_ROWS = 1_000;
const BATCH_LENGTH = 4 * 1024 * 1024;

/** A row of the batch. */
interface Collected {
  readonly id: string;
  /** The number of the row, and of the last of several rows with one upsert key. */
  n: number;
  readonly merged: MergedRow;
  /** The JSON text of the row. */
  readonly text: string;
}

interface Upserted {
  readonly name: string;
  readonly physical: string;
}

/** A row that cannot be staged: its problems, and the error code of an import that they end. */
interface Refusal {
  readonly errors: readonly RowError[];
  readonly code: ErrorCode;
}

/** Validates records and writes them to a temporary table in batches. PostgreSQL stores a batch while the next is collected. */
export class ImportStage {
  readonly ranges: StagedRange[] = [];
  /** Number of valid rows. */
  fit = 0;
  private readonly layout: RecordLayout;
  private readonly key: Upserted | undefined;
  // biome-ignore lint/plugin/bounded-maps: rows of one batch of an import
  private batch = new Map<number | string, Collected>();
  /** By the same keys: each row with its text, as JSON text, which keeps no reference to the piece of the file. */
  // biome-ignore lint/plugin/bounded-maps: rows of one batch of an import
  private lines = new Map<number | string, string[]>();
  private length = 0;
  private hasEnded = false;
  /** Settles when the batches so far are stored. */
  private storing: Promise<void> = Promise.resolve();

  constructor(
    private readonly session: CopySession,
    shape: CollectionShape,
    key: string | undefined,
    private readonly errors: RowErrors,
    private readonly notes: FieldNotes,
    private readonly refused: RefusedRows | undefined,
  ) {
    this.layout = layoutOf(shape);
    if (key !== undefined) this.key = { name: key, physical: physicalOf(shape, key) };
  }

  async add(sent: Sent): Promise<void> {
    const staged = this.checked(sent);
    if ('errors' in staged) {
      this.errors.add(staged.errors, staged.code);
      if (this.refused === undefined) return;
      // The session runs one statement at a time.
      await this.storing;
      await this.refused.report(staged.errors, sent.line);
      return;
    }
    this.fit += 1;
    this.length += staged.text.length;
    this.collect(sent, staged.row, staged.text);
    if (this.batch.size >= BATCH_ROWS || this.length >= BATCH_LENGTH) await this.flush();
  }

  /** Writes the last batch. */
  async end(): Promise<void> {
    await this.flush();
    await this.storing;
    if (this.refused === undefined) return;
    await this.session.query('SAVEPOINT ended');
    this.hasEnded = true;
  }

  /** Ends the transaction without anything that was done since `end`. The texts of the rows stay. */
  async endUnmerged(): Promise<void> {
    await this.storing.catch(() => undefined);
    if (this.hasEnded) await this.session.query('ROLLBACK TO SAVEPOINT ended');
    await this.session.query('COMMIT');
  }

  /** Begins to store the current batch when the one before is stored. */
  private async flush(): Promise<void> {
    const rows = [...this.batch.values()];
    if (rows.length === 0) return;
    await ownTurn();
    const numbers = rows.map(({ n }) => n);
    const batch = this.ranges.length;
    const texts = rows.map(row => this.stagedText(row)).join();
    await this.storing;
    this.storing = stageBatch(this.session, batch, `[${texts}]`, this.linesOfBatch());
    // A failure is thrown where the batch must be stored; until then the promise has no handler.
    this.storing.catch(() => undefined);
    this.ranges.push({ batch, first: Math.min(...numbers), last: Math.max(...numbers) });
    this.batch = new Map();
    this.lines = new Map();
    this.length = 0;
  }

  private stagedText({ id, n, merged: { row }, text }: Collected): string {
    const fields = this.key === undefined ? text : JSON.stringify({ ...row, d: presence(row) });
    return `{"_id":"${id}","n":${n}${fields === '{}' ? '' : ','}${fields.slice(1)}`;
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
  private collect({ row: n, line }: Sent, row: Row, text: string): void {
    const key = this.key === undefined ? n : canonical(row[this.key.physical] ?? null);
    const before = this.batch.get(key);
    if (before === undefined) this.batch.set(key, { id: newId(), n, merged: new MergedRow(row), text });
    else {
      before.n = n;
      before.merged.add(row);
    }
    if (this.refused === undefined) return;
    const source = JSON.stringify([n, lineOf(line)]);
    this.length += source.length;
    const lines = this.lines.get(key);
    if (lines === undefined) this.lines.set(key, [source]);
    else lines.push(source);
  }

  private checked(sent: Sent): { readonly row: Row; readonly text: string } | Refusal {
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
      this.notes.noteRecord(sent.record as JsonObject, sent.rounded);
      return { row, text };
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
