import { setImmediate as othersRun } from 'node:timers/promises';
import { canonical } from '../filter/update/index.js';
import { type ErrorCode, PlatformError } from '../kernel/errors.js';
import { newId } from '../kernel/id.js';
import type { JsonValue } from '../kernel/json.js';
import { type CollectionShape, physicalOf } from '../storage/collection-shape.js';
import type { CopySession } from '../storage/copy-sessions.js';
import { type StagedRange, stageBatch } from '../storage/copy-stage.js';
import { layoutOf, type Misfit, type RecordLayout, type Row } from '../storage/record-layout.js';
import type { Sent } from './decoder.js';
import type { RowErrors } from './row-errors.js';

/** A batch is written when it holds so many rows or so many characters of them. */
const BATCH_ROWS = 1_000;
const BATCH_LENGTH = 4 * 1024 * 1024;
/** Of one record as JSON text (wire contract, Objects). */
const MAX_RECORD_BYTES = 16 * 1024 * 1024;

interface Upserted {
  readonly name: string;
  readonly physical: string;
}

/** Judges records as they come and lays them aside, batch by batch. */
export class ImportStage {
  readonly ranges: StagedRange[] = [];
  /** Rows that are fit to be written. */
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
    const row = this.judged(sent);
    if (row === undefined) return;
    const text = JSON.stringify(row);
    if (text.length * 3 > MAX_RECORD_BYTES && Buffer.byteLength(text) > MAX_RECORD_BYTES) {
      this.refuse(sent.row, null, 'the record is larger than 16 MiB', 'InvalidArguments');
      return;
    }
    this.fit += 1;
    this.length += text.length;
    this.lay(sent.row, row);
    if (this.batch.size >= BATCH_ROWS || this.length >= BATCH_LENGTH) await this.flush();
  }

  /** Writes what is left of a batch. */
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

  /** One row per key in a batch: later records of a key are laid over earlier ones, as if one came after the other. */
  private lay(number: number, row: Row): void {
    const key = this.key === undefined ? number : canonical(row[this.key.physical] ?? null);
    const before = this.batch.get(key);
    const x = before?.x === undefined ? {} : { x: { ...(before.x as object), ...(row.x as object) } };
    this.batch.set(key, { _id: newId(), ...before, ...row, ...x, n: number } as Row);
  }

  private judged(sent: Sent): Row | undefined {
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
          problem: 'the upsert_key must not be null or absent',
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

/** Which columns were sent: tells a field that is null from one that is absent. */
function presence(row: Row): Record<string, number> {
  return Object.fromEntries(Object.keys(row).map(name => [name, 1]));
}

/** `records.7.a.b: is bad` names the field and says what is wrong with it. */
function placeOf(message: string): [column: string | null, problem: string] {
  const [, column = '', problem = message] = /^records\.\d+\.?(.*?): (.*)$/s.exec(message) ?? [];
  return [column === '' ? null : column, problem];
}
