import { Injectable } from '@nestjs/common';
import { eventSql } from '../audit/event-sql.js';
import type { Collection } from '../collections/collection.entity.js';
import { platformCall } from '../kernel/call.js';
import { type Deadline, isOver } from '../kernel/deadline.js';
import { sqlState } from '../kernel/sql-state.js';
import { type ExpiredBatch, expireStatement } from '../storage/delete.js';
import { RecordStore } from '../storage/record-store.js';

/** Removes records whose time is over. They are invisible already; this frees their place. */
@Injectable()
export class ExpiredRecords {
  constructor(private readonly store: RecordStore) {}

  /** Removes all of one collection until the deadline, in batches, each with its audit event. Returns how many. */
  async remove(collection: Collection, until: Deadline = Infinity): Promise<number> {
    for (let total = 0; ; ) {
      const removed = await this.batch(collection, { limit: 5_000, waits: false }, until);
      total += removed;
      if (removed === 0 || isOver(until)) return total;
    }
  }

  /** Removes some, for records that do not fit. Those that others are removing are gone when it returns. */
  makeRoom(collection: Collection, until: Deadline): Promise<number> {
    return this.batch(collection, { limit: 1_000, waits: true }, until);
  }

  /** Runs a write once more when only expired records, which are invisible, can have conflicted with it. */
  async outOfTheWay<T>(collection: Collection, until: Deadline, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (sqlState(error) !== '23505' || !collection.mayExpire) throw error;
      if (isOver(until) || (await this.remove(collection, until)) === 0) throw error;
      return write();
    }
  }

  private async batch(collection: Collection, batch: ExpiredBatch, until: Deadline): Promise<number> {
    const target = { type: 'collection', id: collection.id, name: collection.name };
    const entry = { type: 'collections.records.expired', target };
    const statement = expireStatement(collection, batch, {
      event: written => eventSql(platformCall('job'), collection.orgId, entry, written),
    });
    const [removed = 0] = (await this.store.write(collection, statement, { until })) ?? [];
    return removed;
  }
}
