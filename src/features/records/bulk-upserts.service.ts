import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/kernel/clock.js';
import type { JsonObject } from '../../base/kernel/json.js';
import type { Restricted } from '../../engine/storage/collection-shape.js';
import { QuotaUsed } from '../../engine/storage/quota/quota.js';
import type { LockRetry } from '../../engine/storage/record-admission.js';
import { RecordStore } from '../../engine/storage/record-store.js';
import { RecordTransactions } from '../../engine/storage/record-transactions.js';
import { rowSource } from '../../engine/storage/records/insert.js';
import type { Row } from '../../engine/storage/records/record-layout.js';
import { allKeysLockStatement, bulkUpsertStatement } from '../../engine/storage/records/upsert.js';
import {
  forTransaction,
  type MatchedRow,
  matchedRowsStatement,
} from '../../engine/storage/restricted/record-rules.js';
import { ruleRefused } from '../../engine/storage/restricted/refusals.js';
import { type RefusedRow, RowRules, type RuledRow } from '../../engine/storage/restricted/row-rules.js';
import type { Statement } from '../../engine/storage/statement.js';
import { brokenUnique } from '../../engine/storage/table/index-names.js';
import { columnsOf } from '../../engine/storage/table-sql.js';
import { execute } from '../../platform/database/queryable.js';
import type { BoundCollection, Collection } from '../collections/collection.entity.js';
import { BulkConflicts } from './bulk-conflicts.service.js';
import { expiry, jsonOf, mergedByKey, rowsInOrder } from './bulk-records.js';
import { recordEvent, type WriteDescription } from './record-writes.js';
import { repeatedValues } from './unique-conflicts.js';
import type { PlannedWrite } from './write-attempts.js';

/** Maximum number of rows in one refusal. */
const MAX_REPORTED = 100;

/** The rows of a caller with rules. */
interface RuledRows {
  readonly restricted: Restricted;
  readonly rows: readonly RuledRow[];
}

/** Bulk upserts by a column that has a unique constraint of its own. */
@Injectable()
export class BulkUpserts {
  constructor(
    private readonly store: RecordStore,
    private readonly transactions: RecordTransactions,
    private readonly bulkConflicts: BulkConflicts,
    private readonly clock: Clock,
  ) {}

  /** `rows`: in the order of the request. */
  async plan(
    known: BoundCollection,
    rows: readonly Row[],
    key: string,
    description: WriteDescription,
  ): Promise<PlannedWrite<void>> {
    const collection = forTransaction(known);
    const { max_records: most, ttl_days } = collection.settings;
    const merged = rowsInOrder(collection, mergedByKey(collection, rows, key), [key]);
    const json = await jsonOf(merged.map(row => ({ ...row, d: presence(row) })));
    const sent = { json, expiresAt: expiry(this.clock, ttl_days) };
    const rules = this.rulesOf(collection, rows, merged);
    return {
      write: async ({ until }) => {
        const event = recordEvent(collection, description, rows.length);
        const statement = bulkUpsertStatement(collection, { key, rows: sent, most }, event);
        const retry = { until, rights: description.call.rights };
        const [fresh = 0, capacity] = await (rules === undefined
          ? this.write(collection, statement, retry)
          : this.writeUnderRules(collection, { key, json, rules }, statement, retry));
        if (capacity !== 1) throw new QuotaUsed(fresh, most);
      },
      refusal: error => this.bulkConflicts.refusal(error, collection, () => rows, { key }),
      isOvertaken: error => brokenUnique(error, collection)?.properties.join() === key,
    };
  }

  /** The rules for the rows; undefined for a caller without restrictions. */
  private rulesOf(
    collection: BoundCollection,
    rows: readonly Row[],
    merged: readonly Row[],
  ): RuledRows | undefined {
    const { restricted } = collection;
    if (restricted === undefined) return undefined;
    const names = new Map(columnsOf(collection).map(({ name, physical }) => [physical, name]));
    const sentNames = ({ _id, x, ...columns }: Row) => [
      ...Object.keys(columns).map(physical => names.get(physical) as string),
      ...Object.keys((x ?? {}) as JsonObject),
    ];
    const positions = new Map(rows.map((row, position) => [row._id as string, position]));
    const ruled = merged.map(row => ({
      id: row._id as string,
      row: positions.get(row._id as string) ?? 0,
      names: sentNames(row),
    }));
    return { restricted, rows: ruled };
  }

  /** In a transaction that locks the records with the keys, and asks for the rules before and after the write. */
  private writeUnderRules(
    collection: Collection,
    { key, json, rules: { restricted, rows } }: { key: string; json: string; rules: RuledRows },
    statement: Statement,
    retry: LockRetry,
  ): Promise<readonly number[]> {
    return this.transactions.run(
      collection,
      async transaction => {
        if (collection.status !== 'ready') await transaction.lock(allKeysLockStatement(collection));
        const rules = new RowRules(restricted);
        const found = matchedRowsStatement(collection, rowSource(collection, json), key);
        const matched: MatchedRow[] = await execute(transaction, found);
        refuseRows(await rules.before(transaction, rows, matched), key);
        const written = await this.transactions.write<number[]>(transaction, statement);
        refuseRows(await rules.after(transaction, rows), key);
        return written;
      },
      retry,
    );
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

/** Throws 403 `RuleRefused`, or the 422 of a unique value when records that the caller does not see have the keys. */
function refuseRows(refused: readonly RefusedRow[], key: string): void {
  const rows = refused.flatMap(({ row, action }) => (action === 'unseen' ? [] : [{ row, action }]));
  const [first] = rows;
  if (first !== undefined) throw ruleRefused(first.action, rows.slice(0, MAX_REPORTED)).proven();
  const unseen = refused.map(({ row }) => ({ row, column: key, properties: [key] }));
  if (unseen.length > 0) throw repeatedValues(unseen, 'records').proven();
}

/** The columns that were sent, to distinguish null from absent. */
function presence(row: Row): Record<string, number> {
  return Object.fromEntries(Object.keys(row).map(name => [name, 1]));
}
