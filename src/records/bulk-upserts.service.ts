import { Injectable } from '@nestjs/common';
import type { Collection } from '../collections/collection.entity.js';
import type { Access } from '../collections/collection-access.js';
import type { Rows } from '../database/statements.js';
import { canonical } from '../filter/update/index.js';
import { isOver, pauseBeforeRetry } from '../kernel/bounds/deadline.js';
import { Clock } from '../kernel/clock.js';
import { invalid, PlatformError } from '../kernel/errors.js';
import { sqlState } from '../kernel/sql-state.js';
import { physicalOf } from '../storage/collection-shape.js';
import { QUOTA_FULL } from '../storage/quota/quota.js';
import { QuotaLeases } from '../storage/quota/quota-leases.js';
import type { LockRetry } from '../storage/record-admission.js';
import { RecordStore } from '../storage/record-store.js';
import { RecordTransactions } from '../storage/record-transactions.js';
import { OUT_OF_RANGE } from '../storage/records/change.js';
import type { Row } from '../storage/records/record-layout.js';
import {
  allKeysLockStatement,
  bulkUpsertStatement,
  conflictsStatement,
  oversizeStatement,
} from '../storage/records/upsert.js';
import { ifStale } from '../storage/stale.js';
import type { Statement, WriteParts } from '../storage/statement.js';
import { brokenUnique } from '../storage/table/index-names.js';
import { ExpiredRecords } from './expiry.service.js';
import { expiry, jsonOf, mergedByKey, rowsInOrder } from './record-batch.js';
import { directRefusal, recordsKeepChanging, type Write, WriteRetries } from './record-writes.js';

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
   * Returns 422 `ConstraintViolation` with the offending rows for a broken unique constraint, and 400 with the rows whose
   * upsert by `key` would make a record too large. Else the usual client error. `rowsOf` returns the rows in the order of
   * the request.
   */
  async refusal(
    error: unknown,
    collection: Collection,
    rowsOf: () => readonly Row[],
    key?: string,
  ): Promise<unknown> {
    if (key !== undefined && sqlState(error) === OUT_OF_RANGE)
      return this.oversize(collection, key, rowsOf());
    const unique = brokenUnique(error, collection);
    if (unique === undefined) return directRefusal(error, collection);
    const rows = rowsOf();
    const columns = unique.properties;
    const offenders = repeated(collection, columns, rows);
    if (offenders.length === 0) offenders.push(...(await this.existing(collection, columns, rows)));
    const [first] = offenders;
    return new PlatformError(
      'ConstraintViolation',
      `Nothing was written: ${columns.join(', ')} must be unique${first === undefined ? '' : `; records.${first} repeats an existing value`}.`,
      offenders.map(row => ({ row, column: columns[0], properties: columns })),
    );
  }

  private async existing(
    collection: Collection,
    columns: readonly string[],
    rows: readonly Row[],
  ): Promise<number[]> {
    return this.found(collection, rows, conflictsStatement(collection, columns, JSON.stringify(rows)));
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
  private async found(collection: Collection, rows: readonly Row[], statement: Statement): Promise<number[]> {
    const found = await this.store.readPrimary(collection, statement).catch(ifStale((): Rows => []));
    const ids = new Set(found.map(([id]) => id));
    return rows.flatMap((row, position) => (ids.has(row._id) ? [position] : []));
  }
}

/** Positions of rows that repeat an earlier row of the same batch; nulls differ from each other. */
function repeated(collection: Collection, columns: readonly string[], rows: readonly Row[]): number[] {
  const physical = columns.map(name => physicalOf(collection, name));
  const seen = new Set<string>();
  return rows.flatMap((row, position) => {
    const values = physical.map(column => row[column] ?? null);
    if (values.includes(null)) return [];
    const key = canonical(values);
    const again = seen.has(key);
    seen.add(key);
    return again ? [position] : [];
  });
}
