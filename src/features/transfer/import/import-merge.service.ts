import { HttpStatus, Injectable } from '@nestjs/common';
import { Clock, DAY_MS } from '../../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { JsonText } from '../../../base/kernel/json.js';
import { authorOf } from '../../../base/kernel/principal.js';
import { literal, type Sql, sql } from '../../../base/sql/index.js';
import { INSERTED, lockKeys, MERGED } from '../../../engine/storage/copy/copy-merge.js';
import { offendersStatement } from '../../../engine/storage/copy/copy-stage.js';
import { keepInsertedIds, MAX_UNDONE } from '../../../engine/storage/history/inserted-ids.js';
import { writeRefusal } from '../../../engine/storage/query-refusal.js';
import { insertsLockStatement, QuotaUsed, takeCapacity } from '../../../engine/storage/quota/quota.js';
import { QuotaLeases } from '../../../engine/storage/quota/quota-leases.js';
import { allKeysLockStatement } from '../../../engine/storage/records/upsert.js';
import { isRefusedFor } from '../../../engine/storage/refused-value.js';
import { forTransaction } from '../../../engine/storage/restricted/record-rules.js';
import { isStale } from '../../../engine/storage/stale.js';
import { brokenUnique } from '../../../engine/storage/table/index-names.js';
import { TableStatistics } from '../../../engine/storage/table/table-statistics.service.js';
import { TableAccess } from '../../../engine/storage/table-access.js';
import { AuditLog, MAX_RECORD_IDS } from '../../../platform/audit/audit-log.js';
import { execute } from '../../../platform/database/queryable.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { storeResponse } from '../../../platform/idempotency/stored-responses.js';
import type { BoundCollection, Collection } from '../../collections/collection.entity.js';
import { collectionEvent } from '../../collections/collection-event.js';
import { CollectionExpiry } from '../../collections/collection-expiry.service.js';
import { lastLine, MAX_REPORTED, type RowError } from './import-answer.js';
import { RowsRefused } from './import-rules.js';
import {
  conflict,
  isRetryable,
  isRowError,
  keepsInsertedIds,
  type Merged,
  MergeRanges,
  type StagedImport,
} from './merge-ranges.js';

/** Attempts after conflicts with concurrent writes. */
const MAX_ATTEMPTS = 8;

const OFFENDERS_AT_ONCE = 1_000;

/** Options of an attempt. */
interface Approach {
  /**
   * Locks out other inserts. Otherwise two files with the same new values in different orders could deadlock
   * repeatedly.
   */
  readonly alone: boolean;
  /** Finds the single rows that the database refuses. */
  readonly findsRows: boolean;
}

/** Writes the staged records in the transaction of the session, with one audit event. */
@Injectable()
export class ImportMerge {
  constructor(
    private readonly transactions: Transactions,
    private readonly leases: QuotaLeases,
    private readonly expiry: CollectionExpiry,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly tables: TableAccess,
    private readonly statistics: TableStatistics,
  ) {}

  /** Throws `Stale` when the collection has changed. It can then be called again. */
  async run(staged: StagedImport, known: BoundCollection): Promise<Merged> {
    const collection = forTransaction(known);
    const { session } = staged;
    await session.query('ROLLBACK TO SAVEPOINT staged');
    await this.removeExpired(collection);
    if (!mayNeedLess(staged, collection)) await this.waitForCapacity(collection, staged.fit);
    let approach: Approach | undefined = { alone: false, findsRows: false };
    for (let attempt = 1; ; attempt++) {
      try {
        const merged = await this.mergeAll(staged, collection, approach);
        await this.finish(staged, collection, merged);
        return merged;
      } catch (error) {
        await session.query('ROLLBACK TO SAVEPOINT staged').catch(() => undefined);
        staged.refused?.rewind();
        if (isStale(error)) throw error;
        approach = attempt === MAX_ATTEMPTS ? undefined : another(approach, error, staged, collection);
        if (approach === undefined) throw await this.refusal(error, staged, collection);
        if (error instanceof QuotaUsed) await this.waitForCapacity(collection, error.records);
        await this.removeExpired(collection);
      }
    }
  }

  /** Throws 422 `CollectionFull`, or `Stale`. */
  private waitForCapacity(collection: Collection, records: number): Promise<void> {
    const removeExpired = () => this.transactions.run(manager => this.expiry.purge(manager, collection));
    return this.leases.waitForCapacity(collection, collection.settings.max_records, records, removeExpired);
  }

  private async removeExpired(collection: Collection): Promise<void> {
    if (collection.uniques.length === 0 || !collection.mayExpire) return;
    await this.transactions.run(manager => this.expiry.purge(manager, collection));
  }

  private async mergeAll(
    staged: StagedImport,
    collection: Collection,
    { alone, findsRows }: Approach,
  ): Promise<Merged> {
    const { session, key } = staged;
    await this.tables.nameEvent(session, collection, staged.eventId);
    // A declared unique constraint is not enforced until its build has finished. Upserts take this lock before that of
    // inserts too.
    if (key !== undefined && collection.status !== 'ready')
      await execute(session, allKeysLockStatement(collection));
    if (alone) await execute(session, insertsLockStatement(collection));
    if (key !== undefined) await lockKeys(this.tables, session, collection, key);
    const { ttl_days } = collection.settings;
    const expiresAt = ttl_days === 0 ? null : new Date(this.clock.now().getTime() + ttl_days * DAY_MS);
    const inserted = await new MergeRanges(staged, collection, expiresAt, findsRows).all();
    const [merged] = await execute(session, MERGED);
    return key === undefined ? { ...merged, written: inserted, inserted } : merged;
  }

  private async finish(staged: StagedImport, collection: Collection, merged: Merged): Promise<void> {
    const { call, session, key, dryRun, answer, summary } = staged;
    answer.assertConnected();
    await staged.confirm();
    if (dryRun) {
      await this.waitForCapacity(collection, merged.inserted);
      return;
    }
    if (merged.written > 0) {
      const act = key === undefined ? 'inserted' : 'upserted';
      const event = collectionEvent(`collections.records.${act}`, collection, {
        id: staged.eventId,
        count: merged.written,
        recordIds: merged.ids.slice(0, MAX_RECORD_IDS),
      });
      await this.audit.record(session, call, collection.orgId, event);
      if (keepsInsertedIds(staged, collection) && merged.inserted <= MAX_UNDONE)
        await execute(session, keepInsertedIds(collection, staged.eventId, INSERTED));
    }
    const line = new JsonText(lastLine(summary(merged)));
    await storeResponse(session, call, line, { status: HttpStatus.OK });
    // Last, because other inserts near the limit wait for it until the commit.
    await takeCapacity(session, collection, merged.inserted, collection.settings.max_records);
    await session.commit();
    this.statistics.grew(collection, merged.inserted);
  }

  /** Maps a database error to a client error. For a unique constraint it finds the rows in the staged data. */
  private async refusal(error: unknown, staged: StagedImport, collection: Collection): Promise<unknown> {
    if (error instanceof RowsRefused) {
      staged.refused?.mark(error.problems());
      return error.refusal();
    }
    const unique = brokenUnique(error, collection)?.properties;
    if (isRefusedFor(error, 'size'))
      return invalid('Nothing was written: a record would be larger than 16 MiB.');
    if (unique === undefined) return writeRefusal(error);
    const offenders = await offendersOf(staged, collection, unique);
    const [first] = offenders;
    const where = first === undefined ? '' : ` row ${first.row}:`;
    return new PlatformError(
      'ConstraintViolation',
      `Nothing was written:${where} ${unique.join(', ')} must be unique.`,
      offenders,
    );
  }
}

/** The first rows that violate the unique constraint. Marks all of them if the client wants to know every row. */
async function offendersOf(
  { call, session, key, refused }: StagedImport,
  collection: Collection,
  unique: readonly string[],
): Promise<RowError[]> {
  const statement = offendersStatement(collection, unique, { key, author: authorOf(call.principal) });
  const read = async (rows: Sql) => {
    const found: { row: number }[] = await execute(session, rows);
    return found.map(({ row }) => conflict(row, unique));
  };
  if (refused === undefined) return read(sql`${statement} LIMIT ${literal(MAX_REPORTED)}`);
  await execute(session, sql`DECLARE offenders NO SCROLL CURSOR FOR ${statement}`);
  const offenders: RowError[] = [];
  for (;;) {
    const rows = await read(sql`FETCH ${literal(OFFENDERS_AT_ONCE)} FROM offenders`);
    if (rows.length === 0) return offenders;
    refused.mark(rows);
    offenders.push(...rows.slice(0, MAX_REPORTED - offenders.length));
  }
}

/** True when fewer records than rows may be inserted, so that only the merge knows the number. */
function mayNeedLess({ key, skip }: StagedImport, { uniques }: Collection): boolean {
  return key !== undefined || (skip && uniques.length > 0);
}

/** The options of the next attempt; undefined when another attempt would not help. */
function another(
  approach: Approach,
  error: unknown,
  { key, skip }: StagedImport,
  collection: Collection,
): Approach | undefined {
  if (error instanceof QuotaUsed) return approach;
  if (isRetryable(error, collection, key)) return { ...approach, alone: true };
  return skip && !approach.findsRows && isRowError(error) ? { ...approach, findsRows: true } : undefined;
}
