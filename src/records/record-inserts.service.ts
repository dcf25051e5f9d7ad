import { Injectable } from '@nestjs/common';
import type { Collection } from '../collections/collection.entity.js';
import { Clock } from '../kernel/clock.js';
import { type Deadline, isOver, pauseBeforeRetry } from '../kernel/deadline.js';
import { PlatformError } from '../kernel/errors.js';
import { sqlState, unavailable } from '../kernel/sql-state.js';
import { insertStatement, type RowBatch } from '../storage/insert.js';
import { QUOTA_FULL, type Quota } from '../storage/quota.js';
import { type QuotaLease, QuotaLeases, quotaOf } from '../storage/quota-leases.js';
import type { Row } from '../storage/record-layout.js';
import { RecordStore } from '../storage/record-store.js';
import type { Statement } from '../storage/statement.js';
import { Contention } from './contention.service.js';
import { ExpiredRecords } from './expired-records.service.js';
import { expiry, inOrderOf, jsonOf } from './record-batch.js';
import { type RecordAct, recordEvent } from './record-event.js';
import { SharedInserts } from './shared-inserts.service.js';

/** Records whose JSON is longer, in characters, are written by themselves. */
const SMALL = 8_192;

/** Adds records within `max_records`. */
@Injectable()
export class RecordInserts {
  constructor(
    private readonly store: RecordStore,
    private readonly shared: SharedInserts,
    private readonly leases: QuotaLeases,
    private readonly contention: Contention,
    private readonly expired: ExpiredRecords,
    private readonly clock: Clock,
  ) {}

  /**
   * Resolves to undefined when the collection has changed. Rejects with 422 `CollectionFull`, with the database's error, or
   * that of `write`, which runs the statement.
   */
  async append(
    collection: Collection,
    rows: readonly Row[],
    ttlDays: number | undefined,
    act: RecordAct,
    until: Deadline,
    write?: (statement: Statement) => Promise<unknown>,
  ): Promise<true | undefined> {
    const { max_records: most, ttl_days } = collection.settings;
    const ordered = inOrderOf(collection, rows, collection.uniques[0]?.properties ?? []);
    const text = jsonOf(ordered);
    const json = text instanceof Promise ? await text : text;
    const batch = { json, expiresAt: expiry(this.clock, ttlDays ?? ttl_days) };
    const isShared = write === undefined && mayShare(rows, batch, act);
    const run = (quota: Quota): Promise<unknown> => {
      const [row] = rows as [Row];
      if (isShared)
        return this.shared.write(collection, { row, json: batch.json.slice(1, -1), quota, act, until });
      // Made anew each time: events are in the order of what happened.
      const statement = insertStatement(collection, batch, quota, recordEvent(collection, act));
      return write === undefined
        ? this.store.write(collection, statement, { until, rights: act.call.rights })
        : write(statement);
    };
    for (let attempt = 1; ; attempt++) {
      const found = this.leases.lease(collection, most, rows.length);
      const lease = found instanceof Promise ? await found : found;
      const quota = quotaOf(lease, rows.length, most);
      const meeting = this.contention.meet(collection, until, () => run(quota));
      if (lease !== undefined) return this.settled(lease, rows.length, meeting);
      if ((await meeting.catch(ifOvertaken)) !== undefined) return true;
      const makeRoom = () => this.expired.makeRoom(collection, until);
      const room = await this.leases.room(collection, most, rows.length, makeRoom, until);
      if (room === undefined) return undefined;
      if (isOver(until)) throw roomIsTaken();
      if (attempt > 1) await pauseBeforeRetry(until, attempt);
    }
  }

  private async settled(
    lease: QuotaLease,
    count: number,
    meeting: Promise<unknown>,
  ): Promise<true | undefined> {
    try {
      const done = await meeting;
      if (done === undefined) this.leases.forget(lease, count);
      else this.leases.settle(lease, 0);
      return done === undefined ? undefined : true;
    } catch (error) {
      // A connection that was lost does not tell whether the statement was done: the records may be there.
      if (unavailable(error) === undefined) this.leases.settle(lease, count);
      else this.leases.abandon(lease);
      throw error;
    }
  }
}

function roomIsTaken(): PlatformError {
  return new PlatformError(
    'Conflict',
    'Other writes keep taking the room of the collection. Nothing was written. Try again.',
  );
}

/** Undefined for room that another write was faster to take. */
function ifOvertaken(error: unknown): undefined {
  if (sqlState(error) !== QUOTA_FULL) throw error;
}

/** A retry keeps its answer in a statement of its own. */
function mayShare(rows: readonly Row[], { json, expiresAt }: RowBatch, { call }: RecordAct): boolean {
  return rows.length === 1 && json.length <= SMALL && expiresAt === null && call.retry === undefined;
}
