import { Injectable } from '@nestjs/common';
import type { Call } from '../../base/kernel/call.js';
import { beginStatement, createPlan, type PutBackTransaction } from '../../engine/storage/history/plan.js';
import { RecordTransactions } from '../../engine/storage/record-transactions.js';
import { forTransaction } from '../../engine/storage/restricted/record-rules.js';
import { brokenUnique } from '../../engine/storage/table/index-names.js';
import type { RecordTransaction } from '../../engine/storage/table-access.js';
import type { Collection } from '../collections/collection.entity.js';
import type { Access } from '../collections/collection-access.js';
import { directRefusal, type refusal } from '../records/record-writes.js';
import { WriteAttempts } from '../records/write-attempts.js';

/** Attempts after other writes have taken unique values or the quota in the meantime. */
const MAX_ATTEMPTS = 8;

interface PutBackWrite<T> {
  readonly call: Call;
  readonly dryRun: boolean;
  readonly toRefusal?: typeof refusal;
  within(begun: PutBackTransaction, access: Access): Promise<T>;
}

/** Runs transactions that put back records, and repeats them after conflicts with other writes. */
@Injectable()
export class PutBackAttempts {
  constructor(
    private readonly transactions: RecordTransactions,
    private readonly attempts: WriteAttempts,
  ) {}

  /** Throws 422 `CollectionFull`, or the client error for what the database has refused. */
  run<T>(access: Access, write: PutBackWrite<T>): Promise<T> {
    const { call, dryRun, toRefusal = directRefusal } = write;
    return this.attempts.run(access, current => {
      const collection = forTransaction(current.collection);
      const access = { ...current, collection };
      const begun = (transaction: RecordTransaction) =>
        this.transactions.onServer(transaction, server => write.within({ transaction, server }, access));
      return {
        write: ({ until }) =>
          this.transactions.run(collection, begun, { until, rights: call.rights, dryRun }),
        refusal: error => toRefusal(error, collection),
        isOvertaken: error => brokenUnique(error, collection) !== undefined,
        maxAttempts: MAX_ATTEMPTS,
      };
    });
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
}
