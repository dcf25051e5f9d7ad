import { Injectable } from '@nestjs/common';
import { ByteBudget } from '../../../base/kernel/bounds/byte-budget.js';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { newId } from '../../../base/kernel/id.js';
import { authorOf } from '../../../base/kernel/principal.js';
import type { Quota } from '../../../engine/storage/quota/quota.js';
import { RecordStore } from '../../../engine/storage/record-store.js';
import { RecordTransactions } from '../../../engine/storage/record-transactions.js';
import type { NewRows } from '../../../engine/storage/records/insert.js';
import { forTransaction } from '../../../engine/storage/restricted/record-rules.js';
import { brokenUnique } from '../../../engine/storage/table/index-names.js';
import type { RecordTransaction } from '../../../engine/storage/table-access.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { claimKey, storeResponse } from '../../../platform/idempotency/stored-responses.js';
import type { Collection } from '../../collections/collection.entity.js';
import type { Access } from '../../collections/collection-access.js';
import { requireRight } from '../../collections/collection-rights.js';
import { expiry, jsonOf, rowsInOrder } from '../bulk-records.js';
import { directRefusal, recordEntry } from '../record-writes.js';
import { type KeyedRecord, uniqueRefusal } from '../unique-conflicts.js';
import { type WriteAttempt, WriteAttempts } from '../write-attempts.js';
import type { BatchRecordsBody, BatchView } from './batch.dto.js';
import { BatchAttempt, type BatchOutcome } from './batch-attempt.js';
import { parseOperations } from './batch-operations.js';
import { type BatchPlan, planBatch } from './batch-plan.js';
import { BatchRules } from './batch-rules.js';

/** A batch for one version of a collection, and how it is written. */
interface Batch {
  readonly call: Call;
  readonly collection: Collection;
  readonly plan: BatchPlan;
  readonly rules: BatchRules | undefined;
  readonly inserted: NewRows | undefined;
  readonly now: Date;
  readonly dryRun: boolean;
  /** The records to which the last attempt gave values of unique constraints. */
  keyed: readonly KeyedRecord[];
}

/** Inserts, updates and deletes records in one transaction with one audit event, all or nothing. */
@Injectable()
export class BatchRecords {
  constructor(
    private readonly attempts: WriteAttempts,
    private readonly transactions: RecordTransactions,
    private readonly store: RecordStore,
    private readonly audit: AuditLog,
    private readonly budget: ByteBudget,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws 400, 403 for `if_match` and dry runs without the right to read, 409 `BatchConflict`, 413 for records that are too long to be updated together, 422 `BatchRejected`,
   * `ConstraintViolation` or `CollectionFull`.
   */
  async write(call: Call, access: Access, body: BatchRecordsBody): Promise<BatchView> {
    const operations = await parseOperations(body.operations);
    const compares = operations.some(
      operation => operation.kind !== 'insert' && operation.tags !== undefined,
    );
    if (compares || body.dry_run) requireRight(access, 'read');
    const now = this.clock.now();
    return this.attempts.run(access, async ({ collection: known }) => {
      const rules = BatchRules.of(known, operations);
      const collection = forTransaction(known);
      const plan = await planBatch(collection, operations, now);
      const inserted = await this.rowsOf(collection, plan);
      const dryRun = body.dry_run === true;
      const batch: Batch = { call, collection, plan, rules, inserted, now, dryRun, keyed: [] };
      return {
        write: attempt => this.attempt(batch, attempt),
        refusal: error => this.refusal(error, batch),
        mayBeExact: true,
      };
    });
  }

  private async refusal(error: unknown, { collection, plan, keyed: records }: Batch): Promise<unknown> {
    const broken = brokenUnique(error, collection);
    if (broken === undefined) return directRefusal(error, collection);
    const changed = records.flatMap(({ id, before }) => (before === undefined ? [] : [id]));
    const replaced = { ids: [...plan.deleted, ...changed] };
    return uniqueRefusal(this.store, collection, { broken, list: 'operations', records, replaced });
  }

  private async rowsOf(collection: Collection, { inserts }: BatchPlan): Promise<NewRows | undefined> {
    if (inserts.length === 0) return undefined;
    const rows = inserts.map(({ row }) => row);
    const ordered = rowsInOrder(collection, rows, collection.uniques[0]?.properties ?? []);
    return { json: await jsonOf(ordered), expiresAt: expiry(this.clock, collection.settings.ttl_days) };
  }

  /** Runs the batch in a transaction, within `max_records`. */
  private async attempt(batch: Batch, attempt: WriteAttempt): Promise<BatchView> {
    const { collection, call, plan, dryRun } = batch;
    const { until, isExact } = attempt;
    // Inserted records need capacity beyond that of the deleted ones.
    const added = plan.inserts.length - plan.deleted.length;
    let quota: Quota = { records: 0, most: collection.settings.max_records };
    if (added > 0 && dryRun) await attempt.waitForCapacity(added);
    else if (added > 0) quota = await attempt.quota(added);
    return this.transactions.run(collection, transaction => this.within(transaction, batch, quota, isExact), {
      until,
      rights: call.rights,
      dryRun,
    });
  }

  private async within(
    transaction: RecordTransaction,
    batch: Batch,
    quota: Quota,
    exact: boolean,
  ): Promise<BatchView> {
    const { call, collection, plan, dryRun } = batch;
    const eventId = newId();
    if (!dryRun) await claimKey(transaction, call);
    await this.transactions.nameEvent(transaction, collection, eventId);
    const work = {
      ...batch,
      transaction,
      transactions: this.transactions,
      budget: this.budget,
      quota,
      exact,
      eventId,
      author: authorOf(call.principal),
    };
    const attempt = new BatchAttempt(collection, plan, work);
    const outcome = await attempt.run().finally(() => {
      batch.keyed = attempt.keyed;
    });
    if (dryRun) return { ...viewOf(plan, outcome, true), event_id: null, dry_run: true };
    const event_id = await this.event(transaction, batch, eventId, outcome);
    const view = { ...viewOf(plan, outcome, false), event_id };
    await storeResponse(transaction, call, view);
    return view;
  }

  /** Writes the audit event and returns its id; null when no record was written. */
  private async event(
    transaction: RecordTransaction,
    { call, collection, plan }: Batch,
    id: string,
    { updated }: BatchOutcome,
  ): Promise<string | null> {
    const recordIds = [...plan.inserts.map(({ row }) => row._id as string), ...updated, ...plan.deleted];
    if (recordIds.length === 0) return null;
    const changes = { inserted: plan.inserts.length, updated: updated.size, deleted: plan.deleted.length };
    const entry = recordEntry(collection, { type: 'collections.records.written' });
    const event = { ...entry, id, count: recordIds.length, recordIds, changes };
    await this.audit.record(transaction, call, collection.orgId, event);
    return id;
  }
}

/** The results in the order of the operations. A dry run has no entity tags, because they come with the write. */
function viewOf(plan: BatchPlan, { tags }: BatchOutcome, dryRun: boolean): Pick<BatchView, 'results'> {
  const ids = new Map(plan.inserts.map(({ index, row }) => [index, row._id as string]));
  const tagOf = (id: string) => (dryRun ? null : `"${tags.get(id)}"`);
  return {
    results: plan.operations.map((operation, index) => {
      if (operation.kind === 'delete') return { _id: operation.id, operation: 'deleted', _etag: null };
      if (operation.kind === 'update')
        return { _id: operation.id, operation: 'updated', _etag: tagOf(operation.id) };
      const id = ids.get(index) as string;
      return { _id: id, operation: 'inserted', _etag: tagOf(id) };
    }),
  };
}
