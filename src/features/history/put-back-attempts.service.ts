import { Injectable } from '@nestjs/common';
import { type Deadline, isOver, pauseBeforeRetry } from '../../base/kernel/bounds/deadline.js';
import type { Call } from '../../base/kernel/call.js';
import { beginStatement, createPlan, type PutBackTransaction } from '../../engine/storage/history/plan.js';
import { QuotaLeases } from '../../engine/storage/quota/quota-leases.js';
import { RecordTransactions } from '../../engine/storage/record-transactions.js';
import { brokenUnique } from '../../engine/storage/table/index-names.js';
import type { RecordTransaction } from '../../engine/storage/table-access.js';
import type { Collection } from '../collections/collection.entity.js';
import { ExpiredRecords } from '../records/expiry.service.js';
import { directRefusal, type refusal, WriteRetries } from '../records/record-writes.js';
import { QuotaUsed } from './planned-records.js';

/** Attempts after other writes have taken unique values or the quota in the meantime. */
const MAX_ATTEMPTS = 8;

interface Attempt {
  readonly call: Call;
  readonly collection: Collection;
  readonly until: Deadline;
  readonly dryRun: boolean;
  readonly toRefusal?: typeof refusal;
}

/** Runs transactions that put back records, and repeats them after conflicts with other writes. */
@Injectable()
export class PutBackAttempts {
  constructor(
    private readonly transactions: RecordTransactions,
    private readonly retries: WriteRetries,
    private readonly leases: QuotaLeases,
    private readonly expired: ExpiredRecords,
  ) {}

  /** Throws 422 `CollectionFull`, `Stale`, or the client error for what the database has refused. */
  async run<T>(attempt: Attempt, work: (within: PutBackTransaction) => Promise<T>): Promise<T> {
    const { call, collection, until, dryRun, toRefusal = directRefusal } = attempt;
    const begun = (transaction: RecordTransaction) =>
      this.transactions.onServer(transaction, server => work({ transaction, server }));
    const run = () => this.transactions.run(collection, begun, { until, rights: call.rights, dryRun });
    for (let count = 1; ; count++) {
      try {
        return await this.retries.run(collection, until, run);
      } catch (error) {
        const mayRetry = count < MAX_ATTEMPTS && !isOver(until);
        if (error instanceof QuotaUsed && mayRetry) await this.waitForCapacity(attempt, error.records);
        else if (brokenUnique(error, collection) === undefined || !mayRetry)
          throw toRefusal(error, collection);
        await pauseBeforeRetry(until, count);
      }
    }
  }

  /** Begins an empty plan, whose writes have this event. Throws `Stale`. */
  async beginPlan(
    { transaction, server }: PutBackTransaction,
    collection: Collection,
    eventId: string,
  ): Promise<void> {
    await this.transactions.write(transaction, beginStatement(collection, eventId));
    await createPlan(server);
  }

  private waitForCapacity({ collection, until }: Attempt, records: number): Promise<void> {
    const removeExpired = () => this.expired.removeSome(collection, until);
    const most = collection.settings.max_records;
    return this.leases.waitForCapacity(collection, most, records, removeExpired, until);
  }
}
