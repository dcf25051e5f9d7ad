import { Injectable } from '@nestjs/common';
import type { Collection } from '../collections/collection.entity.js';
import type { Access } from '../collections/collection-access.js';
import { Clock } from '../kernel/clock.js';
import { unavailable } from '../kernel/sql-state.js';
import type { Row } from '../storage/record-layout.js';
import { RecordSlots } from '../storage/record-slots.js';
import { RecordStore } from '../storage/record-store.js';
import { RecordTransactions } from '../storage/record-transactions.js';
import type { Carried, Statement } from '../storage/statement.js';
import { bulkUpsertStatement } from '../storage/upsert.js';
import { allKeysLockStatement } from '../storage/upsert-lock.js';
import { Contention } from './contention.service.js';
import { expiry, inOrderOf, mergedByKey } from './record-batch.js';
import { brokenUnique } from './record-errors.js';

/** Of two upserts of one new key at once, one fails and is run again; then it finds the other's record. */
const MAX_ATTEMPTS = 8;

/** Bulk upserts by a column with a unique of its own. */
@Injectable()
export class BulkUpserts {
  constructor(
    private readonly store: RecordStore,
    private readonly transactions: RecordTransactions,
    private readonly slots: RecordSlots,
    private readonly contention: Contention,
    private readonly clock: Clock,
  ) {}

  /** Resolves to undefined when the collection or its slots have changed. Rejects with the database's error. */
  async run(access: Access, rows: readonly Row[], key: string, carried: Carried): Promise<true | undefined> {
    const { collection } = access;
    const merged = inOrderOf(collection, mergedByKey(collection, rows, key), [key]);
    const sent = merged.map(row => ({ ...row, d: presence(row) }));
    const batch = { json: JSON.stringify(sent), expiresAt: expiry(this.clock, collection.settings.ttl_days) };
    // The first attempt asks how many records are new; only those need slots.
    for (let [attempt, slots] = [1, 0]; ; attempt++) {
      const epoch = await this.slots.take(collection, collection.settings.max_records, slots);
      if (epoch === undefined) return undefined;
      try {
        const statement = bulkUpsertStatement(collection, { key, batch, epoch, slots }, carried);
        const counts = await this.contention.meet(collection, () => this.write(collection, statement));
        if (counts === undefined) this.slots.forget(collection, epoch);
        if (counts === undefined || counts[1] === 1) return counts && true;
        this.slots.giveBack(collection, epoch, slots);
        slots = counts[0] as number;
      } catch (error) {
        // A connection that was lost says nothing of what it was asked: the records may be there.
        if (unavailable(error) === undefined) this.slots.giveBack(collection, epoch, slots);
        const raced = brokenUnique(error, collection)?.properties.join() === key;
        if (!raced || attempt >= MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** While an index is being built its unique is declared, and guards nothing yet. */
  private write(collection: Collection, statement: Statement): Promise<readonly number[] | undefined> {
    if (collection.status === 'ready') return this.store.write(collection, statement);
    return this.transactions.run(collection, async transaction => {
      await transaction.lock(allKeysLockStatement(collection));
      const [fences, ...counts] = (await this.transactions.write(transaction, statement)) as number[];
      return fences === 0 ? undefined : counts;
    });
  }
}

/** Which columns were sent: tells a field that is null from one that is absent. */
function presence(row: Row): Record<string, number> {
  return Object.fromEntries(Object.keys(row).map(name => [name, 1]));
}
