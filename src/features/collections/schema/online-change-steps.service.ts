import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { retiredColumns } from '../../../engine/storage/retired-columns.js';
import { indexesToReplace, offenders } from '../../../engine/storage/table/alter.js';
import {
  addColumns,
  countRows,
  describeRecords,
  leftoversOf,
  proveNotNull,
  removeColumns,
  replaceColumns,
  validateNotNull,
  writtenOffenders,
} from '../../../engine/storage/table/online-change.js';
import {
  cleaningPass,
  copyingPass,
  endOfPass,
  type Pass,
  SliceSize,
  writeSlice,
} from '../../../engine/storage/table/online-pass.js';
import { lockTable } from '../../../engine/storage/table-lock.js';
import { tableOf } from '../../../engine/storage/table-sql.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import type { Queryable } from '../../../platform/database/queryable.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { storeResponse } from '../../../platform/idempotency/stored-responses.js';
import { Collection } from '../collection.entity.js';
import { collectionEvent } from '../collection-event.js';
import { CollectionExpiry } from '../collection-expiry.service.js';
import { collectionNotFound } from '../collection-refusals.js';
import { lockCollection } from '../locked-collection.js';
import { recordSchemaChange } from './changed-schema.js';
import { IndexBuilds } from './index-builds.service.js';
import { type RunningChange, RunningChanges } from './running-changes.service.js';
import { schemaView } from './schema.dto.js';
import { type ChangePhase, SchemaChange } from './schema-change.entity.js';
import { offendersRefusal } from './schema-refusals.js';

/** The steps of a change that runs while records are read and written. Every step may be repeated. */
@Injectable()
export class OnlineChangeSteps {
  constructor(
    @InjectRepository(Collection) private readonly collections: Repository<Collection>,
    private readonly transactions: Transactions,
    private readonly running: RunningChanges,
    private readonly builds: IndexBuilds,
    private readonly expiry: CollectionExpiry,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Fills the new columns and builds the indexes that will be needed. Throws 400 or 422 when values do not fit, or 409
   * when the change was abandoned.
   */
  async copy(connection: Queryable, change: RunningChange): Promise<void> {
    const { before, after } = change;
    // A table has a maximum of columns in its whole life, so a change that must fail should add none.
    await this.refuseOffenders(change);
    await this.running.step(change, 'copying', manager => addColumns(manager, before, after));
    // Records that were written before the trigger was there.
    await this.refuseOffenders(change);
    await this.total(change);
    await this.pass(change, 'copying', copyingPass(before, after));
    await this.builds.build(connection, after, indexesToReplace(before, after, after));
  }

  /** Puts the changed schema into effect, in one short transaction with its audit event. */
  async switchSchemas(change: RunningChange): Promise<void> {
    const { before, after, call } = change;
    // Without the lock first, because many records may have to be read.
    await this.refuseOffenders(change, writtenOffenders);
    await this.running.step(change, 'copying', async manager => {
      const row = await lockCollection(manager, before.id);
      await lockTable(manager, tableOf(before));
      const misfits = await writtenOffenders(manager, before, after);
      if (misfits.length > 0) throw offendersRefusal(misfits, before, after);
      const { columns } = after;
      const updatedAt = this.clock.now();
      const leftovers = leftoversOf(before, after);
      const version = row.version + 1;
      // The row of now: the settings may have changed since the change began.
      const changed = { columns, retiredColumns: retiredColumns(row, after), updatedAt, leftovers, version };
      await replaceColumns(manager, before, Object.assign(row, changed));
      await manager.update(Collection, { id: row.id }, changed);
      await manager.update(SchemaChange, { id: change.id }, { phase: 'cleaning' });
      await recordSchemaChange(this.audit, manager, call, before, after);
      await storeResponse(manager, call, schemaView(after));
    });
  }

  /** Removes what the changed schema does not need, and ends the change. */
  async clean(change: RunningChange): Promise<void> {
    const { after } = change;
    const collection = await this.collections.findOneBy({ id: after.id });
    if (collection === null) throw collectionNotFound();
    const unlimited = { statementTimeoutMs: 0 };
    // First, because expired records need not fit the columns, so the pass could not write them.
    await this.transactions.run(unlimited, manager => this.expiry.purge(manager, after));
    await this.pass(change, 'cleaning', cleaningPass(after, collection.leftovers));
    await this.transactions.run(unlimited, manager => validateNotNull(manager, after));
    await this.running.step(change, 'cleaning', async manager => {
      const row = await lockCollection(manager, after.id);
      await proveNotNull(manager, after);
      const cleaned = { leftovers: [], version: row.version + 1 };
      await describeRecords(manager, Object.assign(row, cleaned));
      await manager.update(Collection, { id: row.id }, { ...cleaned, status: 'ready' });
      await manager.delete(SchemaChange, { id: change.id });
    });
  }

  /** Marks the running change as abandoned. Throws 404 when none is running. */
  async abandon(manager: EntityManager, call: Call, collection: Collection): Promise<void> {
    const { affected } = await manager.update(
      SchemaChange,
      { collectionId: collection.id, phase: 'copying' },
      { phase: 'abandoned' },
    );
    if (affected === 0) {
      throw new PlatformError('NotFound', 'No change of the schema is running that could be abandoned.');
    }
    const event = collectionEvent('collections.schema.abandoned', collection);
    await this.audit.record(manager, call, collection.orgId, event);
  }

  /**
   * Leaves the collection as it was before, and keeps the refusal of a change that was not abandoned. Does nothing when the
   * changed schema is in effect: the columns of before are gone.
   */
  async undo(change: RunningChange, refusal: Error | undefined): Promise<void> {
    const { before, after } = change;
    // Otherwise another instance has switched the schemas or ended the change, or the collection was deleted.
    await this.running.during(change, ['copying', 'abandoned'], async (manager, { phase }) => {
      const { id, version } = await lockCollection(manager, before.id);
      await removeColumns(manager, before, after);
      await manager.update(Collection, { id }, { status: 'ready', version: version + 1 });
      if (phase === 'abandoned' || refusal === undefined) {
        await manager.delete(SchemaChange, { id: change.id });
        return;
      }
      const failed = { phase: 'failed' as const, error: errorBody(refusal), call: null };
      await manager.update(SchemaChange, { id: change.id }, failed);
    });
  }

  private refuseOffenders(
    { before, after }: RunningChange,
    find: typeof writtenOffenders = offenders,
  ): Promise<void> {
    return this.transactions.run({ statementTimeoutMs: 0 }, async manager => {
      const found = await find(manager, before, after);
      if (found.length > 0) throw offendersRefusal(found, before, after);
    });
  }

  /** Counts the records that have to be read, for the progress. */
  private total({ id, before, after }: RunningChange): Promise<void> {
    const passes =
      Number(copyingPass(before, after) !== undefined) + Number(leftoversOf(before, after).length > 0);
    return this.transactions.run({ statementTimeoutMs: 0 }, async manager => {
      const totalRows = passes === 0 ? 0 : passes * (await countRows(manager, before));
      await manager.update(SchemaChange, { id }, { totalRows, doneRows: 0 });
    });
  }

  /** Writes the records that need it in slices. A slice keeps its records locked until its end, so it is short. */
  private async pass(change: RunningChange, phase: ChangePhase, pass: Pass | undefined): Promise<void> {
    if (pass === undefined) return;
    const end = await this.transactions.run({ statementTimeoutMs: 0 }, manager => endOfPass(manager, pass));
    if (end === undefined) return;
    let from: string | null = null;
    const size = new SliceSize();
    do {
      const position: string | null = from;
      let began = 0;
      const slice = await this.running.step(change, phase, async manager => {
        // Repeated while other writers lock its records. Only the last attempt tells how long a slice takes.
        began = performance.now();
        const written = await writeSlice(manager, pass, { from: position, end, limit: size.rows });
        await manager.increment(SchemaChange, { id: change.id }, 'doneRows', written.rows);
        return written;
      });
      // With its commit: other writers also wait until the disk has what the slice wrote.
      const took = performance.now() - began;
      size.took(took, slice.written);
      from = slice.last;
      // Pauses as long as the slice took, so that the change takes at most half of the time from other writers.
      await pause(took);
    } while (from !== null);
  }
}

function errorBody(refusal: Error): object {
  if (!(refusal instanceof PlatformError)) {
    return { error: 'Internal', message: 'The change failed. Nothing was changed. Try again.' };
  }
  const { code, message, details } = refusal;
  return { error: code, message, ...(details !== undefined && { details }) };
}
