import { type BatchResult, newIdempotencyKey, TcError } from '@typed-collections/client';
import { afterSaving } from './after-saving.js';
import { NO_ROWS, type StagedRows } from './staged-edits.js';
import type { StagedStore } from './staged-store.js';
import type { Batch, StoredBatch } from './stored-batch.js';

/** A batch that the service has written. */
export interface SavedBatch {
  readonly rows: StagedRows;
  readonly result: BatchResult;
}

/** Sends all changes in one batch, and never writes a batch twice whose answer was lost. */
export class BatchSender {
  /** The changes of the last batch that was sent. */
  sent: StagedRows = NO_ROWS;

  /** `uncertain`: the last batch, if it is not known whether the service has written it. */
  constructor(
    private readonly store: StagedStore,
    private readonly uncertain: StoredBatch,
    private readonly send: (rows: StagedRows, idempotencyKey: string) => Promise<BatchResult>,
  ) {}

  /** Saves what is staged. What is staged meanwhile stays. Throws why nothing was written, or nothing of the rest. */
  async save(onSaved: (batch: SavedBatch) => Promise<void>): Promise<void> {
    const batch = this.uncertain.read();
    const { rows } = this.store.getState();
    // The same key makes the service write it once, also if it has done so before.
    if (batch !== undefined && isStaged(batch.rows, rows)) {
      await onSaved(await this.write(batch));
      if (areSame(batch.rows, rows)) return;
    }
    const left = this.store.getState().rows;
    if (left.size > 0) await onSaved(await this.write({ rows: left, key: newIdempotencyKey() }));
  }

  private async write(batch: Batch): Promise<SavedBatch> {
    this.uncertain.keep(batch);
    this.sent = batch.rows;
    try {
      const result = await this.send(batch.rows, batch.key);
      this.uncertain.clear();
      this.store.replace(afterSaving(this.store.getState().rows, batch.rows, result));
      return { rows: batch.rows, result };
    } catch (error) {
      if (isFinal(error)) this.uncertain.clear();
      throw error;
    }
  }
}

/** True for the same changes of the same records in the same order. */
function areSame(one: StagedRows, other: StagedRows): boolean {
  return JSON.stringify([...one.values()]) === JSON.stringify([...other.values()]);
}

/** True if every change of a batch is still staged, maybe with another value: what was discarded is not written. */
function isStaged(batch: StagedRows, now: StagedRows): boolean {
  return [...batch.values()].every(({ id, fields }) => {
    const row = now.get(id);
    return row !== undefined && Object.keys(fields).every(name => Object.hasOwn(row.fields, name));
  });
}

/**
 * True if the service has refused the batch, so that nothing is written. `Conflict` says that the batch with this key is
 * still being written; 408, 425 and 429 pass.
 */
function isFinal(error: unknown): boolean {
  if (!(error instanceof TcError) || error.code === 'Conflict') return false;
  return error.status >= 400 && error.status < 500 && ![408, 425, 429].includes(error.status);
}
