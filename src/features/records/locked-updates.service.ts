import { Injectable } from '@nestjs/common';
import { ByteBudget } from '../../base/kernel/bounds/byte-budget.js';
import { Slices } from '../../base/kernel/bounds/slices.js';
import { PlatformError } from '../../base/kernel/errors.js';
import { newId } from '../../base/kernel/id.js';
import { JsonText } from '../../base/kernel/json.js';
import { MAX_RECORD_BYTES } from '../../base/kernel/limits.js';
import { authorOf } from '../../base/kernel/principal.js';
import { applyUpdate, isSame, rootsOf, type Update } from '../../engine/filter/update/index.js';
import { RecordTransactions } from '../../engine/storage/record-transactions.js';
import { layoutOf } from '../../engine/storage/records/record-layout.js';
import {
  type LockedRecord,
  type LockedRow,
  lockedStatement,
  lockStatement,
  rewriteStatement,
} from '../../engine/storage/records/rewrite.js';
import type { Selection } from '../../engine/storage/records/selection.js';
import { Stale } from '../../engine/storage/stale.js';
import { AuditLog, MAX_RECORD_IDS } from '../../platform/audit/audit-log.js';
import { Settings } from '../../platform/config/settings.js';
import { execute, type Queryable } from '../../platform/database/queryable.js';
import { claimKey, storeResponse } from '../../platform/idempotency/stored-responses.js';
import type { Collection } from '../collections/collection.entity.js';
import { documentOf, refuseOversize } from './record-document.js';
import { recordEntry, refuseExcess, type WriteOptions, type Written } from './record-writes.js';
import type { WriteAttempt } from './write-attempts.js';

/** Number of records in the first slice. The size of later slices follows from SLICE_BYTES. */
const FIRST_SLICE = 100;
const MAX_SLICE = 1_000;
/** Maximum size of the records of a slice, as read and as written. */
const SLICE_BYTES = 4 * 1024 * 1024;
/** Each record is in memory four times: as text and as document, before and after the update. */
const COPIES = 4;

/**
 * Updates that cannot be expressed in SQL. Records are locked, changed in memory and written back, in slices within
 * one transaction, with one audit event at the end.
 */
@Injectable()
export class LockedUpdates {
  constructor(
    private readonly transactions: RecordTransactions,
    private readonly audit: AuditLog,
    private readonly budget: ByteBudget,
    private readonly settings: Settings,
  ) {}

  run(
    { until }: WriteAttempt,
    collection: Collection,
    update: Update,
    selection: Selection,
    write: WriteOptions,
  ): Promise<Written> {
    const { dryRun, description } = write;
    return this.transactions.run(
      collection,
      async transaction => {
        const id = newId();
        await claimKey(transaction, description.call);
        await this.transactions.nameEvent(transaction, collection, id);
        const work = { transaction, budget: this.budget, until: this.deadline() };
        const written = await new LockedUpdate(work, collection, update, selection, write).run();
        const { updated: count, updatedIds: recordIds } = written;
        const entry = { id, ...recordEntry(collection, description), count, recordIds };
        if (count > 0) await this.audit.record(transaction, description.call, collection.orgId, entry);
        if (written.matched > 0 || 'atMost' in selection) await keepWritten(transaction, write, written);
        return written;
      },
      { until, rights: description.call.rights, dryRun },
    );
  }

  /** The whole update gets the time that one statement may take. */
  private deadline(): number {
    return performance.now() + this.settings.DATABASE_STATEMENT_TIMEOUT_MS;
  }
}

/** The environment of a running update. */
interface Work {
  readonly transaction: Queryable;
  readonly budget: ByteBudget;
  /** The deadline on the clock of `performance.now()`. */
  readonly until: number;
}

interface ChangedRow {
  readonly id: string;
  readonly json: string;
}

function keepWritten(transaction: Queryable, { description }: WriteOptions, written: Written): Promise<void> {
  const { matched, updated, id = '' } = written;
  const text = description.answer({ matched: String(matched), updated: String(updated), id });
  return storeResponse(transaction, description.call, new JsonText(text));
}

/** One running update. */
class LockedUpdate {
  private matched = 0;
  private updated = 0;
  private readonly updatedIds: string[] = [];
  private readonly roots: readonly string[];
  private readonly slices = new Slices();
  private changed: ChangedRow[] = [];
  private changedLength = 0;
  private firstId: string | undefined;

  constructor(
    private readonly work: Work,
    private readonly collection: Collection,
    private readonly update: Update,
    private readonly selection: Selection,
    private readonly write: WriteOptions,
  ) {
    const counting = update.operations.filter(({ kind }) => kind !== 'setOnInsert');
    this.roots = [...new Set(counting.flatMap(rootsOf))];
  }

  async run(): Promise<Written & { updatedIds: string[] }> {
    const single = !('atMost' in this.selection);
    let after: string | undefined;
    for (let limit = single ? 1 : FIRST_SLICE; ; ) {
      const slice = { after, limit, maxBytes: SLICE_BYTES / limit };
      const lock = lockStatement(this.collection, this.selection, this.update, slice);
      const rows: LockedRow[] = await execute(this.work.transaction, lock);
      if (rows.length === 0) throw new Stale();
      const records = rows.filter(({ id }) => id !== null);
      this.matched += records.length;
      refuseExcess(this.selection, this.matched);
      for (const record of records) await this.rewrite(record);
      await this.flush();
      after = records.at(-1)?.id as string | undefined;
      this.firstId ??= after;
      if (single || records.length < limit) break;
      const length = records.reduce((sum, { text }) => sum + (text?.length ?? slice.maxBytes), 1);
      limit = Math.min(MAX_SLICE, Math.max(1, Math.floor((SLICE_BYTES * limit) / length)));
    }
    const { matched, updated, updatedIds, firstId } = this;
    return { matched, updated, updatedIds, id: firstId };
  }

  private async rewrite(row: LockedRow): Promise<void> {
    if (row.text !== null) {
      await this.change(row as LockedRecord);
      return;
    }
    const { orgId } = this.collection;
    let held = MAX_RECORD_BYTES * COPIES;
    await this.work.budget.take(orgId, held);
    try {
      const locked = lockedStatement(this.collection, this.update, row.id as string);
      const [record]: LockedRecord[] = await execute(this.work.transaction, locked);
      const needed = Math.min(held, (record as LockedRecord).text.length * COPIES);
      this.work.budget.give(orgId, held - needed);
      held = needed;
      await this.change(record as LockedRecord);
      await this.flush();
    } finally {
      this.work.budget.give(orgId, held);
    }
  }

  private async change(record: LockedRecord): Promise<void> {
    const row = this.changedRow(record);
    if (row !== undefined) {
      this.changed.push(row);
      this.changedLength += row.json.length;
    }
    if (this.changedLength >= SLICE_BYTES) await this.flush();
    await this.slices.pause();
    if (performance.now() > this.work.until) throw timedOut();
  }

  private async flush(): Promise<void> {
    const rows = this.changed;
    if (rows.length === 0) return;
    [this.changed, this.changedLength] = [[], 0];
    const layout = layoutOf(this.collection);
    const columns = this.roots.filter(name => layout.column(name) !== undefined);
    const { expiresAt, description } = this.write;
    const author = authorOf(description.call.principal);
    const parts = { columns, flexible: columns.length < this.roots.length, expiresAt, author };
    const json = `[${rows.map(each => each.json).join(',')}]`;
    await execute(this.work.transaction, rewriteStatement(this.collection, parts, json));
    this.updated += rows.length;
    this.updatedIds.push(...rows.slice(0, MAX_RECORD_IDS - this.updatedIds.length).map(({ id }) => id));
  }

  /** The row to write for a record, or undefined when the update changes nothing of it. */
  private changedRow(record: LockedRecord): ChangedRow | undefined {
    const { id } = record;
    try {
      const before = documentOf(record, this.collection);
      const pulled = record.pulled ?? [];
      const after = applyUpdate(before, this.update, { now: this.write.now, pulled });
      const isChanged = this.roots.some(root => !isSame(before[root], after[root]));
      if (!isChanged && this.write.expiresAt === undefined) return undefined;
      const json = JSON.stringify({ _id: id, ...layoutOf(this.collection).rewritten(after, this.roots) });
      refuseOversize(after, json.length + record.text.length);
      return { id, json };
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      throw new PlatformError(error.code, `${error.message} (record ${id}); nothing was written`, {
        record_id: id,
      });
    }
  }
}

/** Has the same code as PostgreSQL's error for a statement timeout. */
function timedOut(): Error {
  return Object.assign(new Error('the update took too long'), { code: '57014' });
}
