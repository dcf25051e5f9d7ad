import { isObject } from '../../../values/json.js';
import type { StagedRows } from './staged-edits.js';
import { isStagedRow, parsed } from './stored-edits.js';

/** All changes that are saved together. */
export interface Batch {
  readonly rows: StagedRows;
  /** The idempotency key: the service writes a batch with it once. */
  readonly key: string;
}

/**
 * The last batch of a person in a collection, while it is not known whether the service has written it. It is in the
 * storage of the browser, so that every tab sends it again with the same key, also after a reload.
 */
export class StoredBatch {
  /** The batch, if the browser does not store it. */
  private unstored: Batch | undefined;

  constructor(
    private readonly store: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>,
    private readonly key: string,
  ) {}

  /** Undefined if it is known of every batch whether it is written. */
  read(): Batch | undefined {
    return this.unstored ?? batchOf(this.store.getItem(this.key));
  }

  /** Keeps a batch that is about to be sent, in the place of the one before. */
  keep(batch: Batch): void {
    this.clear();
    try {
      this.store.setItem(this.key, JSON.stringify({ key: batch.key, rows: [...batch.rows.values()] }));
    } catch {
      this.unstored = batch;
    }
  }

  /** Forgets the batch, because the service has answered it. */
  clear(): void {
    this.unstored = undefined;
    this.store.removeItem(this.key);
  }
}

function batchOf(text: string | null): Batch | undefined {
  const batch = parsed(text);
  if (!isObject(batch) || typeof batch.key !== 'string' || !Array.isArray(batch.rows)) return undefined;
  const rows: readonly unknown[] = batch.rows;
  if (!rows.every(isStagedRow)) return undefined;
  return { key: batch.key, rows: new Map(rows.map(row => [row.id, row] as const)) };
}
