import type { ByteBudget } from '../../../base/kernel/bounds/byte-budget.js';
import { Slices } from '../../../base/kernel/bounds/slices.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import type { JsonObject } from '../../../base/kernel/json.js';
import { endVacated } from '../../../engine/storage/history/versions.js';
import type { Quota } from '../../../engine/storage/quota/quota.js';
import type { RecordTransactions } from '../../../engine/storage/record-transactions.js';
import {
  type BatchUpdates,
  batchStatement,
  forgetOwnChangesStatement,
  type LockedBatchRow,
  lockBatchStatement,
  vacateStatement,
} from '../../../engine/storage/records/batch.js';
import type { NewRows } from '../../../engine/storage/records/insert.js';
import { layoutOf } from '../../../engine/storage/records/record-layout.js';
import { LONG } from '../../../engine/storage/records/record-size.js';
import { Stale } from '../../../engine/storage/stale.js';
import type { RecordTransaction } from '../../../engine/storage/table-access.js';
import { execute } from '../../../platform/database/queryable.js';
import type { Collection } from '../../collections/collection.entity.js';
import type { KeyedRecord } from '../unique-conflicts.js';
import { changesOf, isRead, MEMORY_OF_READS } from './batch-changes.js';
import type { BatchPlan, PlannedChange, PlannedUpdate } from './batch-plan.js';
import type { BatchRules } from './batch-rules.js';
import { uniquesOver, vacatings, valuesOf } from './batch-uniques.js';

/** Maximum size of the records that are read with the lock. Longer ones are read one by one. */
const READ_BYTES = 8 * 1024 * 1024;

/** What an attempt needs besides its plan. */
export interface BatchWork {
  readonly transaction: RecordTransaction;
  readonly transactions: RecordTransactions;
  readonly budget: ByteBudget;
  readonly now: Date;
  readonly quota: Quota;
  readonly inserted: NewRows | undefined;
  readonly author: string | null;
  /** Reads every record that is updated, so that the size of each result is known exactly. */
  readonly exact: boolean;
  /** The audit event of the batch. */
  readonly eventId: string;
  /** Undefined for a caller without restrictions. */
  readonly rules: BatchRules | undefined;
}

/** What a batch wrote. */
export interface BatchOutcome {
  /** The opaque parts of the entity tags of new and updated records, by id. */
  readonly tags: ReadonlyMap<string, string>;
  /** Ids of the updated records that have changed. */
  readonly updated: ReadonlySet<string>;
}

/** A batch in one transaction: locks the named records, computes their changes and writes all of them. */
export class BatchAttempt {
  /** The records that get values of unique constraints, to explain why the database refused them. */
  keyed: KeyedRecord[] = [];
  private hasVacated = false;

  constructor(
    private readonly collection: Collection,
    private readonly plan: BatchPlan,
    private readonly work: BatchWork,
  ) {}

  /** Throws 409 `BatchConflict`, 413, 422 `BatchRejected`, `Stale`, or the database's error. */
  async run(): Promise<BatchOutcome> {
    const { budget } = this.work;
    const { orgId } = this.collection;
    let held = 0;
    const hold = async () => {
      await budget.take(orgId, MEMORY_OF_READS);
      held = MEMORY_OF_READS;
    };
    try {
      const locked = await this.lock();
      const changes = await changesOf(this.collection, this.plan.updates, locked, this.work, hold);
      await this.vacate(locked, changes);
      const outcome = await this.write(locked, changes);
      await this.work.rules?.check(this.work.transaction, this.plan);
      return outcome;
    } finally {
      if (held > 0) budget.give(orgId, held);
    }
  }

  /** Locks the named records. Throws 403 when the rules of the caller do not allow an operation, and 409 `BatchConflict` with every operation whose record is gone or has changed. */
  private async lock(): Promise<ReadonlyMap<string, LockedBatchRow>> {
    const { named } = this.plan;
    if (named.length === 0) return new Map();
    const read = this.plan.updates.filter(each => isRead(each, this.work.exact)).map(({ id }) => id);
    const keys = new Set(this.uniques.flatMap(({ properties }) => properties));
    const rows: LockedBatchRow[] = await execute(
      this.work.transaction,
      lockBatchStatement(this.collection, {
        ids: named.map(({ operation }) => operation.id),
        read,
        keys: [...keys],
        maxBytes: READ_BYTES / Math.max(1, read.length),
      }),
    );
    if (rows.length === 0) throw new Stale();
    const locked = new Map(rows.flatMap(row => (row.id === null ? [] : [[row.id, row] as const])));
    const seen = await this.work.rules?.seenOf(this.work.transaction, named);
    const conflicts = named.flatMap(({ index, operation: { id, tags } }): Conflict[] => {
      const row = seen === undefined || seen.has(id) ? locked.get(id) : undefined;
      if (row !== undefined && (tags === undefined || tags.includes(row.tag))) return [];
      return [{ index, _id: id, reason: row === undefined ? 'gone' : 'changed' }];
    });
    if (conflicts.length > 0) throw batchConflict(conflicts);
    return locked;
  }

  /** The unique constraints that updates may concern. */
  private get uniques() {
    return uniquesOver(this.collection, new Set(this.plan.updates.flatMap(({ roots }) => roots)));
  }

  /** Frees unique values that records of the batch exchange. Followers do not see the temporary values. */
  private async vacate(
    locked: ReadonlyMap<string, LockedBatchRow>,
    changes: ReadonlyMap<PlannedUpdate, PlannedChange>,
  ): Promise<void> {
    const { uniques, collection } = this;
    const updated = [...changes].map(([{ index, id }, { columns }]) => {
      const before: JsonObject = JSON.parse(locked.get(id)?.keys ?? '{}');
      return { index, id, before, after: { ...before, ...valuesIn(before, columns) } };
    });
    const inserted = this.plan.inserts.map(({ index, row }) => ({
      index,
      id: row._id as string,
      after: valuesOf(collection, collection.uniques, { ...row, created_by: this.work.author }),
    }));
    this.keyed = [...(uniques.length === 0 ? [] : updated), ...inserted];
    const { transaction, transactions } = this.work;
    const vacated = await vacatings(collection, uniques, updated);
    this.hasVacated = vacated.length > 0;
    for (const each of vacated) await execute(transaction, vacateStatement(collection, each));
    if (vacated.length > 0 && transactions.keepsChanges)
      await execute(transaction, forgetOwnChangesStatement(collection));
  }

  private async write(
    locked: ReadonlyMap<string, LockedBatchRow>,
    changes: ReadonlyMap<PlannedUpdate, PlannedChange>,
  ): Promise<BatchOutcome> {
    const { transaction, transactions, quota, inserted, author, eventId } = this.work;
    const { deleted, inserts } = this.plan;
    const statement = batchStatement(this.collection, {
      author,
      deleted,
      updates: await this.updatesOf(locked, changes),
      inserted,
      quota,
      returned: Math.max(0, deleted.length - inserts.length),
    });
    const [text] = await transactions.write<[string | null]>(transaction, statement);
    if (this.hasVacated && this.collection.historySince)
      await endVacated(transaction, this.collection, eventId);
    const written: Record<string, string> = JSON.parse(text ?? '{}');
    const tags = new Map([...locked].map(([id, { tag }]) => [id, tag]));
    for (const [id, tag] of Object.entries(written)) tags.set(id, tag);
    const updated = this.plan.updates.filter(({ id }) => Object.hasOwn(written, id));
    return { tags, updated: new Set(updated.map(({ id }) => id)) };
  }

  private async updatesOf(
    locked: ReadonlyMap<string, LockedBatchRow>,
    changes: ReadonlyMap<PlannedUpdate, PlannedChange>,
  ): Promise<BatchUpdates | undefined> {
    if (changes.size === 0) return undefined;
    const layout = layoutOf(this.collection);
    const names = new Set([...changes.keys()].flatMap(({ roots }) => roots));
    for (const { properties } of this.uniques) for (const name of properties) names.add(name);
    const rows: string[] = [];
    const slices = new Slices();
    for (const [{ id }, { columns, flexible, removed }] of changes) {
      // A record with a temporary value gets all values of its unique constraints back.
      const all = { ...(JSON.parse(locked.get(id)?.keys ?? '{}') as JsonObject), ...columns };
      const d = Object.fromEntries(Object.keys(all).map(name => [name, 1]));
      rows.push(JSON.stringify({ _id: id, d, ...all, x: flexible, u: removed }));
      await slices.pause();
    }
    const columns = [...names].filter(name => layout.column(name) !== undefined);
    const json = `[${rows.join(',')}]`;
    const flexible = columns.length < names.size;
    return { json, columns, flexible, measured: this.work.exact || (!flexible && json.length <= LONG) };
  }
}

/** The new values among the columns of `keys`. */
function valuesIn(keys: JsonObject, columns: PlannedChange['columns']): JsonObject {
  return Object.fromEntries(Object.entries(columns).filter(([name]) => Object.hasOwn(keys, name)));
}

interface Conflict {
  readonly index: number;
  readonly _id: string;
  readonly reason: 'changed' | 'gone';
}

/** 409 with all conflicts in `details`; the message names the first one. */
function batchConflict(conflicts: readonly Conflict[]): PlatformError {
  const [{ index, reason }] = conflicts as [Conflict];
  const problem =
    reason === 'gone' ? 'there is no record with this _id' : 'the record no longer has the ETag in if_match';
  const more = conflicts.length > 1 ? ` (and ${conflicts.length - 1} more)` : '';
  return new PlatformError(
    'BatchConflict',
    `Nothing was written: operations.${index}: ${problem}${more}. Read the records again, and repeat your changes.`,
    conflicts,
  ).proven();
}
