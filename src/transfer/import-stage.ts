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
import type { RowErrors } from './import-answer.js';
import type { Sent } from './record-decoders.js';

/** Limits of a batch: its rows and the characters of their text. */
const BATCH_ROWS = 1_000;
const BATCH_LENGTH = 4 * 1024 * 1024;

interface Upserted {
  readonly name: string;
  readonly physical: string;
}

/** Validates records and writes them to a temporary table in batches. */
export class ImportStage {
  readonly ranges: StagedRange[] = [];
  /** Number of valid rows. */
  fit = 0;
  private readonly layout: RecordLayout;
  private readonly key: Upserted | undefined;
  private batch = new Map<number | string, Row>();
  private length = 0;

  constructor(
    private readonly session: CopySession,
    shape: CollectionShape,
    key: string | undefined,
    private readonly errors: RowErrors,
  ) {
    this.layout = layoutOf(shape);
    if (key !== undefined) this.key = { name: key, physical: physicalOf(shape, key) };
  }

  async add(sent: Sent): Promise<void> {
    const row = this.checked(sent);
    if (row === undefined) return;
    const text = JSON.stringify(row);
    if (text.length * 3 > MAX_RECORD_BYTES && Buffer.byteLength(text) > MAX_RECORD_BYTES) {
      this.refuse(sent.row, null, 'the record is larger than 16 MiB', 'InvalidArguments');
      return;
    }
    this.fit += 1;
    this.length += text.length;
    this.collect(sent.row, row);
    if (this.batch.size >= BATCH_ROWS || this.length >= BATCH_LENGTH) await this.flush();
  }

  /** Writes the current batch. */
  async flush(): Promise<void> {
    const rows = [...this.batch.values()];
    if (rows.length === 0) return;
    await othersRun();
    const numbers = rows.map(({ n }) => n as number);
    const batch = this.ranges.length;
    if (this.key !== undefined) for (const row of rows) row.d = presence(row);
    await stageBatch(this.session, batch, JSON.stringify(rows));
    this.ranges.push({ batch, first: Math.min(...numbers), last: Math.max(...numbers) });
    this.batch = new Map();
    this.length = 0;
  }

  /**
   * Adds a row to the batch, which has one row per upsert key: later rows of a key overwrite the fields of earlier
   * ones, as single upserts would.
   */
  private collect(number: number, row: Row): void {
    const key = this.key === undefined ? number : canonical(row[this.key.physical] ?? null);
    const before = this.batch.get(key);
    const x = before?.x === undefined ? {} : { x: { ...(before.x as object), ...(row.x as object) } };
    this.batch.set(key, { _id: newId(), ...before, ...row, ...x, n: number } as Row);
  }

  private checked(sent: Sent): Row | undefined {
    if ('problem' in sent) {
      this.refuse(
        sent.row,
        sent.column,
        sent.problem,
        sent.column === null ? 'InvalidArguments' : 'BatchRejected',
      );
      return undefined;
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
      if (misfits.length === 0) return row;
      this.errors.add(misfits, 'BatchRejected');
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      this.refuse(sent.row, ...placeOf(error.message), 'InvalidArguments');
    }
    return undefined;
  }

  private refuse(row: number, column: string | null, problem: string, code: ErrorCode): void {
    this.errors.add([{ row, column, problem }], code);
  }
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
