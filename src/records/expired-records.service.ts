import { Injectable } from '@nestjs/common';
import { eventCte } from '../audit/event-cte.js';
import type { Collection } from '../collections/collection.entity.js';
import { platformCall } from '../kernel/platform-call.js';
import { sqlState } from '../kernel/sql-state.js';
import { expireStatement } from '../storage/delete.js';
import { RecordStore } from '../storage/record-store.js';

/** Removes records whose time is over. They are invisible already; this frees their place. */
@Injectable()
export class ExpiredRecords {
  constructor(private readonly store: RecordStore) {}

  /** Removes all of one collection, in batches, each with its audit event. Returns how many. */
  async remove(collection: Collection): Promise<number> {
    const call = platformCall('job');
    const target = { type: 'collection', id: collection.id, name: collection.name };
    const entry = { type: 'collections.records.expired', target };
    for (let total = 0; ; ) {
      const statement = expireStatement(collection, {
        event: (written, add) => eventCte(call, collection.orgId, entry, written, add),
      });
      const [removed = 0] = (await this.store.write(collection, statement)) ?? [];
      total += removed;
      if (removed === 0) return total;
    }
  }

  /** Runs a write again when nothing but expired records, which nobody sees, can have been in its way. */
  async outOfTheWay<T>(collection: Collection, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (sqlState(error) !== '23505' || (await this.remove(collection)) === 0) throw error;
      return write();
    }
  }
}
