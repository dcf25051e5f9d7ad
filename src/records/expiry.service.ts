import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { And, LessThanOrEqual, MoreThan, Repository } from 'typeorm';
import { eventSql } from '../audit/event-sql.js';
import { Collection } from '../collections/collection.entity.js';
import { JobWalks } from '../database/job-walks.js';
import { Statements } from '../database/statements.js';
import { platformCall } from '../kernel/call.js';
import { type Deadline, isOver } from '../kernel/deadline.js';
import { sqlState } from '../kernel/sql-state.js';
import { render } from '../sql/index.js';
import { RecordStore } from '../storage/record-store.js';
import {
  type ExpiredBatch,
  expiredCollectionsStatement,
  expireStatement,
} from '../storage/records/delete.js';

/** Collections looked at by one statement: one probe of a partial index each. */
const PAGE = 200;
const FIRST = '00000000-0000-0000-0000-000000000000';
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

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
  async removeExpiredAndRetry<T>(
    collection: Collection,
    until: Deadline,
    write: () => Promise<T>,
  ): Promise<T> {
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

/** Frees the place of expired records in all collections that may hold some. */
@Injectable()
export class RecordExpiry {
  constructor(
    @InjectRepository(Collection) private readonly collections: Repository<Collection>,
    private readonly statements: Statements,
    private readonly expired: ExpiredRecords,
    private readonly walks: JobWalks,
  ) {}

  /**
   * Goes through all collections page by page, from where the last run came to; ends early, between two of them, when `signal`
   * is aborted.
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

  /** The work for each collection with expired records between two ids, the second one included. */
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
      for (const collection of await this.withExpired(page)) {
        if (signal.aborted) return;
        await work(collection);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = last.id;
    }
  }

  private async withExpired(page: Collection[]): Promise<Collection[]> {
    if (page.length === 0) return [];
    const { text, values } = render(expiredCollectionsStatement(page));
    try {
      const [[ids]] = (await this.statements.runApart(text, values)) as [[string[]]];
      return page.filter(({ id }) => ids.includes(id));
    } catch (error) {
      // A table or its schema was dropped since the page was read: trying each collection passes over it.
      if (!['42P01', '3F000'].includes(sqlState(error) ?? '')) throw error;
      return page;
    }
  }
}
