import { Injectable } from '@nestjs/common';
import { isOver, pauseBeforeRetry } from '../../base/kernel/bounds/deadline.js';
import { Clock } from '../../base/kernel/clock.js';
import { invalid, type PlatformError } from '../../base/kernel/errors.js';
import { sqlState } from '../../base/kernel/sql-state.js';
import { QUOTA_FULL } from '../../engine/storage/quota/quota.js';
import { QuotaLeases } from '../../engine/storage/quota/quota-leases.js';
import type { LockRetry } from '../../engine/storage/record-admission.js';
import { RecordStore } from '../../engine/storage/record-store.js';
import { RecordTransactions } from '../../engine/storage/record-transactions.js';
import { OUT_OF_RANGE } from '../../engine/storage/records/change.js';
import type { Row } from '../../engine/storage/records/record-layout.js';
import {
  allKeysLockStatement,
  bulkUpsertStatement,
  oversizeStatement,
} from '../../engine/storage/records/upsert.js';
import { ifStale } from '../../engine/storage/stale.js';
import type { Read, Statement, WriteParts } from '../../engine/storage/statement.js';
import { brokenUnique } from '../../engine/storage/table/index-names.js';
import type { Collection } from '../collections/collection.entity.js';
import type { Access } from '../collections/collection-access.js';
import { ExpiredRecords } from './expiry.service.js';
import { expiry, jsonOf, mergedByKey, rowsInOrder } from './record-batch.js';
import { directRefusal, recordsKeepChanging, type Write, WriteRetries } from './record-writes.js';
import { uniqueRefusal } from './unique-conflicts.js';

/** Bulk upserts by a column that has a unique constraint of its own. */
@Injectable()
export class BulkUpserts {
  constructor(
    private readonly store: RecordStore,
    private readonly transactions: RecordTransactions,
    private readonly leases: QuotaLeases,
    private readonly retries: WriteRetries,
    private readonly expired: ExpiredRecords,
    private readonly clock: Clock,
  ) {}

  /** Rejects with the database's error. */
  async run(
    access: Access,
    rows: readonly Row[],
    key: string,
    parts: WriteParts,
    { until, rights }: Pick<Write, 'until' | 'rights'>,
  ): Promise<void> {
    const { collection } = access;
    const most = collection.settings.max_records;
    const merged = rowsInOrder(collection, mergedByKey(collection, rows, key), [key]);
    const sent = merged.map(row => ({ ...row, d: presence(row) }));
    const batch = { json: await jsonOf(sent), expiresAt: expiry(this.clock, collection.settings.ttl_days) };
    for (let attempt = 1; ; attempt++) {
      try {
        const statement = bulkUpsertStatement(collection, { key, batch, most }, parts);
        const [fresh = 0, capacity] = await this.retries.run(collection, until, () =>
          this.write(collection, statement, { until, rights }),
        );
        if (capacity === 1) return;
        const removeExpired = () => this.expired.removeSome(collection, until);
        await this.leases.waitForCapacity(collection, most, fresh, removeExpired, until);
      } catch (error) {
        if (!isOvertaken(error, collection, key)) throw error;
      }
      // Another upsert has inserted one of the keys, so the next attempt updates that record; or another write has used
      // the quota.
      if (isOver(until)) throw recordsKeepChanging();
      if (attempt > 1) await pauseBeforeRetry(until, attempt);
    }
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

/** True when another write inserted the same key or used the quota first. */
function isOvertaken(error: unknown, collection: Collection, key: string): boolean {
  return sqlState(error) === QUOTA_FULL || brokenUnique(error, collection)?.properties.join() === key;
}

/** The columns that were sent, to distinguish null from absent. */
function presence(row: Row): Record<string, number> {
  return Object.fromEntries(Object.keys(row).map(name => [name, 1]));
}

/** Finds the records of a refused batch that the database refused. */
@Injectable()
export class BatchConflicts {
  constructor(private readonly store: RecordStore) {}

  /**
   * Returns 422 `ConstraintViolation`, or another `code`, with every offending row for a broken unique constraint, and 400 with the rows whose
   * upsert by `key` would make a record too large. Else the usual client error. `rowsOf` returns the rows in the order of
   * the request.
   */
  async refusal(
    error: unknown,
    collection: Collection,
    rowsOf: () => readonly Row[],
    { key, code }: { readonly key?: string; readonly code?: 'AlreadyExists' } = {},
  ): Promise<unknown> {
    if (key !== undefined && sqlState(error) === OUT_OF_RANGE)
      return this.oversize(collection, key, rowsOf());
    const broken = brokenUnique(error, collection);
    if (broken === undefined) return directRefusal(error, collection);
    const records = rowsOf().map((row, index) => ({ index, id: row._id as string, after: row }));
    const replaced = key === undefined ? { ids: [] } : { key };
    return uniqueRefusal(this.store, collection, { broken, list: 'records', records, replaced, code });
  }

  private async oversize(collection: Collection, key: string, rows: readonly Row[]): Promise<PlatformError> {
    const statement = oversizeStatement(collection, key, JSON.stringify(rows));
    const offenders = await this.found(collection, rows, statement);
    const [first] = offenders;
    const subject = first === undefined ? 'a record' : `the record of records.${first}`;
    return invalid(
      `Nothing was written: ${subject} would be larger than 16 MiB.`,
      offenders.map(row => ({ row, column: null, problem: 'the record would be larger than 16 MiB' })),
    );
  }

  /** The positions of the rows whose ids the statement returns. */
  private async found(
    collection: Collection,
    rows: readonly Row[],
    statement: Read<string[]>,
  ): Promise<number[]> {
    const found = await this.store.readPrimary(collection, statement).catch(ifStale((): string[] => []));
    const ids = new Set(found);
    return rows.flatMap((row, position) => (ids.has(row._id as string) ? [position] : []));
  }
}
