import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/kernel/clock.js';
import { QuotaUsed } from '../../engine/storage/quota/quota.js';
import type { LockRetry } from '../../engine/storage/record-admission.js';
import { RecordStore } from '../../engine/storage/record-store.js';
import { RecordTransactions } from '../../engine/storage/record-transactions.js';
import type { Row } from '../../engine/storage/records/record-layout.js';
import { allKeysLockStatement, bulkUpsertStatement } from '../../engine/storage/records/upsert.js';
import type { Statement } from '../../engine/storage/statement.js';
import { brokenUnique } from '../../engine/storage/table/index-names.js';
import type { Collection } from '../collections/collection.entity.js';
import { BulkConflicts } from './bulk-conflicts.service.js';
import { expiry, jsonOf, mergedByKey, rowsInOrder } from './bulk-records.js';
import { recordEvent, type WriteDescription } from './record-writes.js';
import type { PlannedWrite } from './write-attempts.js';

/** Bulk upserts by a column that has a unique constraint of its own. */
@Injectable()
export class BulkUpserts {
  constructor(
    private readonly store: RecordStore,
    private readonly transactions: RecordTransactions,
    private readonly bulkConflicts: BulkConflicts,
    private readonly clock: Clock,
  ) {}

  /** `rows`: in the order of the request. */
  async plan(
    collection: Collection,
    rows: readonly Row[],
    key: string,
    description: WriteDescription,
  ): Promise<PlannedWrite<void>> {
    const { max_records: most, ttl_days } = collection.settings;
    const merged = rowsInOrder(collection, mergedByKey(collection, rows, key), [key]);
    const json = await jsonOf(merged.map(row => ({ ...row, d: presence(row) })));
    const sent = { json, expiresAt: expiry(this.clock, ttl_days) };
    return {
      write: async ({ until }) => {
        const event = recordEvent(collection, description, rows.length);
        const statement = bulkUpsertStatement(collection, { key, rows: sent, most }, event);
        const retry = { until, rights: description.call.rights };
        const [fresh = 0, capacity] = await this.write(collection, statement, retry);
        if (capacity !== 1) throw new QuotaUsed(fresh, most);
      },
      refusal: error => this.bulkConflicts.refusal(error, collection, () => rows, { key }),
      isOvertaken: error => brokenUnique(error, collection)?.properties.join() === key,
    };
  }

  /**
   * Locks all keys while indexes are being built, because a declared unique constraint is not enforced until its build
   * has finished.
   */
  private write(collection: Collection, statement: Statement, retry: LockRetry): Promise<readonly number[]> {
    if (collection.status === 'ready') return this.store.write(collection, statement, retry);
    return this.transactions.run(
      collection,
      async transaction => {
        await transaction.lock(allKeysLockStatement(collection));
        return this.transactions.write(transaction, statement);
      },
      retry,
    );
  }
}

/** The columns that were sent, to distinguish null from absent. */
function presence(row: Row): Record<string, number> {
  return Object.fromEntries(Object.keys(row).map(name => [name, 1]));
}
