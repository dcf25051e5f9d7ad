import { Injectable } from '@nestjs/common';
import { type Deadline, isOver, pauseBeforeRetry } from '../../base/kernel/bounds/deadline.js';
import type { AnswerText, Call } from '../../base/kernel/call.js';
import { Clock } from '../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../base/kernel/errors.js';
import { sqlState, unavailable } from '../../base/kernel/sql-state.js';
import { QUOTA_FULL, type Quota } from '../../engine/storage/quota/quota.js';
import { type QuotaLease, quotaOf } from '../../engine/storage/quota/quota-lease.js';
import { QuotaLeases } from '../../engine/storage/quota/quota-leases.js';
import { RecordStore } from '../../engine/storage/record-store.js';
import { insertStatement } from '../../engine/storage/records/insert.js';
import { idOf, layoutOf, withIds } from '../../engine/storage/records/record-layout.js';
import { isStale } from '../../engine/storage/stale.js';
import type { Statement } from '../../engine/storage/statement.js';
import type { Collection } from '../collections/collection.entity.js';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import { CollectionExpiry } from '../collections/collection-expiry.service.js';
import { requireUnique } from '../collections/collection-refusals.js';
import { INSERTS } from './batched-inserts.js';
import { BatchConflicts, BulkUpserts } from './bulk-upserts.service.js';
import { ExpiredRecords } from './expiry.service.js';
import {
  asJson,
  expiry,
  type ListsAsJson,
  layOutMany,
  recordList,
  refuseBulk,
  refuseInsert,
  rowsOf,
} from './record-batch.js';
import { directRefusal, type RecordAct, recordEvent, WriteRetries } from './record-writes.js';
import type {
  BulkInsertedView,
  BulkInsertRecordsBody,
  InsertedView,
  InsertRecordsBody,
} from './records.dto.js';
import { WriteBatcher } from './write-batcher.service.js';
import { mayShare } from './write-kind.js';

const MAX_INSERT = 1_000;
const MAX_BULK = 5_000;

/** Inserts records within `max_records`. */
@Injectable()
export class QuotaInserts {
  constructor(
    private readonly store: RecordStore,
    private readonly batcher: WriteBatcher,
    private readonly leases: QuotaLeases,
    private readonly retries: WriteRetries,
    private readonly expired: ExpiredRecords,
    private readonly clock: Clock,
  ) {}

  /**
   * Rejects with 422 `CollectionFull`, with the database's error, or with the error of `write`, which replaces the
   * default way to run the statement.
   */
  async append(
    collection: Collection,
    { json, count, only }: ListsAsJson,
    ttlDays: number | undefined,
    act: RecordAct,
    until: Deadline,
    write?: (statement: Statement) => Promise<unknown>,
  ): Promise<void> {
    const { ttl_days } = collection.settings;
    const batch = { json, expiresAt: expiry(this.clock, ttlDays ?? ttl_days) };
    const isShared = write === undefined && batch.expiresAt === null && mayShare(json);
    const run = (quota: Quota): Promise<unknown> => {
      if (isShared && only !== undefined) {
        const insert = {
          recordId: idOf(only),
          list: only,
          json: json.slice(1, -1),
          quota,
          act,
          until,
        };
        return this.batcher.write(collection, INSERTS, insert);
      }
      // Built for each attempt, because audit events are ordered by the time at which they happened.
      const id = only && idOf(only);
      const statement = insertStatement(collection, batch, quota, recordEvent(collection, act, count, id));
      return write === undefined
        ? this.store.write(collection, statement, { until, rights: act.call.rights })
        : write(statement);
    };
    await this.withCapacity(collection, count, until, run);
  }

  /**
   * Runs a write that adds `count` records to the collection, again with another quota when other writes have used the
   * capacity. Rejects as `append`.
   */
  async withCapacity<T>(
    collection: Collection,
    count: number,
    until: Deadline,
    run: (quota: Quota) => Promise<T>,
  ): Promise<T> {
    const { max_records: most } = collection.settings;
    for (let attempt = 1; ; attempt++) {
      const found = this.leases.lease(collection, most, count);
      const lease = found instanceof Promise ? await found : found;
      const quota = quotaOf(lease, count, most);
      const writing = this.retries.run(collection, until, () => run(quota));
      if (lease !== undefined) return settled(lease, count, writing);
      try {
        return await writing;
      } catch (error) {
        // Another write may have used the quota first.
        if (!isStale(error) && sqlState(error) !== QUOTA_FULL) throw error;
      }
      const removeExpired = () => this.expired.removeSome(collection, until);
      await this.leases.waitForCapacity(collection, most, count, removeExpired, until);
      if (isOver(until)) throw capacityIsTaken();
      if (attempt > 1) await pauseBeforeRetry(until, attempt);
    }
  }
}

/** Inserts records: one statement per request, with its audit event, all or nothing. */
@Injectable()
export class InsertRecords {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly inserts: QuotaInserts,
    private readonly upserts: BulkUpserts,
    private readonly conflicts: BatchConflicts,
    private readonly expiry: CollectionExpiry,
  ) {}

  async insert(call: Call, access: Access, body: InsertRecordsBody): Promise<InsertedView> {
    const records = recordList(body.records, MAX_INSERT);
    return this.accesses.withVersionCheck(access, async (current, until) => {
      const laidOut = layOutMany(current.collection, records, refuseInsert);
      const lists = laidOut instanceof Promise ? await laidOut : laidOut;
      await this.expiry.mark(current.collection, body.ttl_days);
      const ids = withIds(lists);
      const view = { inserted_count: ids.length, ids };
      const sent = asJson(current.collection, lists);
      const batch = sent instanceof Promise ? await sent : sent;
      const act: RecordAct = {
        call,
        type: 'collections.records.inserted',
        answer: ids.length === 1 ? insertedText : () => JSON.stringify(view),
      };
      const { collection } = current;
      await this.inserts.append(collection, batch, body.ttl_days, act, until).catch(async error => {
        if (ids.length === 1) throw directRefusal(error, collection);
        const code = 'AlreadyExists';
        throw await this.conflicts.refusal(error, collection, () => rowsOf(collection, batch), { code });
      });
      return view;
    });
  }

  async bulkInsert(call: Call, access: Access, body: BulkInsertRecordsBody): Promise<BulkInsertedView> {
    if (!Array.isArray(body.records)) throw invalid(`records: expects a list of 1 to ${MAX_BULK} records`);
    const records = recordList(body.records, MAX_BULK);
    const key = body.upsert_key;
    return this.accesses.withVersionCheck(access, async (current, until) => {
      const view: BulkInsertedView = {
        inserted: records.length,
        mode: key === undefined ? 'append' : 'upsert',
        collection_id: current.collection.id,
      };
      const act: RecordAct = {
        call,
        type: `collections.records.${key === undefined ? 'inserted' : 'upserted'}`,
        answer: () => JSON.stringify(view),
      };
      if (key === undefined) await this.appendAll(current.collection, records, act, until);
      else await this.upsertAll(current, records, key, act, until);
      return view;
    });
  }

  private async appendAll(
    collection: Collection,
    records: readonly unknown[],
    act: RecordAct,
    until: Deadline,
  ): Promise<void> {
    const batch = await listsToInsert(collection, records);
    await this.inserts.append(collection, batch, undefined, act, until).catch(async error => {
      throw await this.conflicts.refusal(error, collection, () => rowsOf(collection, batch));
    });
  }

  private async upsertAll(
    access: Access,
    records: readonly unknown[],
    key: string,
    act: RecordAct,
    until: Deadline,
  ): Promise<void> {
    const { collection } = access;
    requireUnique(collection, key);
    const lists = await layOutMany(collection, records, refuseBulk);
    withIds(lists);
    const layout = layoutOf(collection);
    const rows = lists.map(list => layout.rowOf(list));
    const event = recordEvent(collection, act, rows.length);
    const write = { until, rights: act.call.rights };
    await this.upserts.run(access, rows, key, event, write).catch(async error => {
      throw await this.conflicts.refusal(error, collection, () => rows, { key });
    });
  }
}

/** The response to an insert of one record. One function for all, so that their shared statement has the text once. */
const insertedText: AnswerText = ({ id }) => `{"inserted_count":1,"ids":["${id}"]}`;

async function listsToInsert(collection: Collection, records: readonly unknown[]): Promise<ListsAsJson> {
  const lists = await layOutMany(collection, records, refuseBulk);
  withIds(lists);
  return asJson(collection, lists);
}

function capacityIsTaken(): PlatformError {
  return new PlatformError(
    'Conflict',
    'Other writes keep using up the remaining records of settings.max_records. Nothing was written. Retry.',
  );
}

/** Ends the use of the lease as the insert of `count` records ended. */
async function settled<T>(lease: QuotaLease, count: number, writing: Promise<T>): Promise<T> {
  try {
    const result = await writing;
    lease.settle(0);
    return result;
  } catch (error) {
    if (isStale(error)) lease.forget(count);
    // After a lost connection it is unknown whether the statement was committed, so the quota may have been used.
    else if (unavailable(error) !== undefined) lease.abandon();
    else lease.settle(count);
    throw error;
  }
}
