import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { And, LessThanOrEqual, MoreThan, Repository } from 'typeorm';
import { type Deadline, isOver } from '../../base/kernel/bounds/deadline.js';
import { platformCall } from '../../base/kernel/call.js';
import { RecordStore } from '../../engine/storage/record-store.js';
import { type ExpiredSlice, expireStatement, hasExpired } from '../../engine/storage/records/delete.js';
import { ifStale } from '../../engine/storage/stale.js';
import { eventSql } from '../../platform/audit/audit-log.js';
import { JobProbes } from '../../platform/database/job-probes.js';
import { JobWalks } from '../../platform/database/job-walks.js';
import { Collection } from '../collections/collection.entity.js';
import { collectionEvent } from '../collections/collection-event.js';

/** Number of collections that one statement checks. Each check is one probe of a partial index. */
const PAGE = 200;
const FIRST = '00000000-0000-0000-0000-000000000000';
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Removes expired records. Reads do not return them any more; removal frees their disk space and quota. */
@Injectable()
export class ExpiredRecords {
  constructor(private readonly store: RecordStore) {}

  /**
   * Removes all expired records of one collection in slices until the deadline, with an audit event for each slice.
   * Returns their number.
   */
  async remove(collection: Collection, until: Deadline = Infinity): Promise<number> {
    for (let total = 0; ; ) {
      const removed = await this.slice(collection, { limit: 5_000, waits: false }, until);
      total += removed;
      if (removed === 0 || isOver(until)) return total;
    }
  }

  /** Removes some expired records when new ones do not fit. Waits for records that other statements are removing. */
  removeSome(collection: Collection, until: Deadline): Promise<number> {
    return this.slice(collection, { limit: 1_000, waits: true }, until);
  }

  private async slice(collection: Collection, slice: ExpiredSlice, until: Deadline): Promise<number> {
    const entry = collectionEvent('collections.records.expired', collection);
    const statement = expireStatement(collection, slice, {
      event: written => eventSql(platformCall('job'), collection.orgId, entry, written),
    });
    const written = this.store.write(collection, statement, { until });
    const [removed = 0] = await written.catch(ifStale((): readonly number[] => []));
    return removed;
  }
}

/** Removes the expired records of all collections. */
@Injectable()
export class RecordExpiry {
  constructor(
    @InjectRepository(Collection) private readonly collections: Repository<Collection>,
    private readonly probes: JobProbes,
    private readonly expired: ExpiredRecords,
    private readonly walks: JobWalks,
  ) {}

  /**
   * Goes through all collections page by page, from the point that the last run reached. Stops before the next
   * collection when `signal` is aborted.
   */
  async removeAll(signal: AbortSignal): Promise<{ collections: number; removed: number }> {
    const counts = { collections: 0, removed: 0 };
    await this.walks.from('remove-expired-records', async (last = FIRST, begin) => {
      const remove = async (collection: Collection) => {
        begin(collection.id);
        counts.collections += 1;
        counts.removed += await this.expired.remove(collection);
      };
      await this.each(last, LAST, signal, remove);
      await this.each(FIRST, last, signal, remove);
    });
    return counts;
  }

  /** Runs `work` for each collection with expired records whose id is greater than `from` and at most `to`. */
  private async each(
    from: string,
    to: string,
    signal: AbortSignal,
    work: (collection: Collection) => Promise<void>,
  ): Promise<void> {
    for (let after = from; after < to && !signal.aborted; ) {
      const page = await this.collections.find({
        where: { id: And(MoreThan(after), LessThanOrEqual(to)), mayExpire: true },
        order: { id: 'ASC' },
        take: PAGE,
      });
      for (const collection of await this.probes.among(page, hasExpired)) {
        if (signal.aborted) return;
        await work(collection);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = last.id;
    }
  }
}
