import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { sqlState } from '../../../base/kernel/sql-state.js';
import { versionsTable } from '../../../engine/storage/history/history-table.js';
import { alterTable, countMoved, offenders } from '../../../engine/storage/table/alter.js';
import { TableAccess } from '../../../engine/storage/table-access.js';
import { lockOutMaintenance, lockTable } from '../../../engine/storage/table-lock.js';
import { tableOf } from '../../../engine/storage/table-sql.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Admission } from '../../../platform/database/admission/admission.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { idempotently } from '../../../platform/idempotency/stored-responses.js';
import { Collection } from '../collection.entity.js';
import type { Access } from '../collection-access.js';
import { CollectionExpiry } from '../collection-expiry.service.js';
import { lockSettled } from '../locked-collection.js';
import { changedCollection, recordSchemaChange } from './changed-schema.js';
import { OnlineChanges } from './online-changes.service.js';
import type { SchemaView, UpdateSchemaBody } from './schema.dto.js';
import { columnChanges, schemaView } from './schema.dto.js';
import { alterRefusal, offendersRefusal } from './schema-refusals.js';

/**
 * Lock timeout of a change. While a change waits for the table lock that a long read holds, all later statements wait
 * behind it. After the timeout they run, and then the change tries again.
 */
const LOCK_TIMEOUT_MS = 100;
const PAUSES_MS = [250, 500, 1_000, 1_000, 1_000, 1_000];

const PREVIEW_WITHIN_MS = 60_000;

/**
 * Changes schemas. Table, stored values, metadata and audit event of a small collection are changed in one transaction. A
 * large one is changed online.
 */
@Injectable()
export class SchemaChanges {
  constructor(
    private readonly transactions: Transactions,
    private readonly expiry: CollectionExpiry,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly admission: Admission,
    private readonly tables: TableAccess,
    private readonly online: OnlineChanges,
  ) {}

  async apply(call: Call, access: Access, { properties, dry_run }: UpdateSchemaBody): Promise<SchemaView> {
    const { schema } = this.admission;
    const { orgId, id } = access.collection;
    if (dry_run) return schema.run(orgId, `preview ${id}`, () => this.preview(access.collection, properties));
    if (this.changes(access.collection, properties) && (await this.online.suits(access.collection))) {
      const view = await this.online.apply(call, access, properties);
      if (view !== undefined) return view;
    }
    try {
      return await this.applyAtOnce(call, access, properties);
    } catch (error) {
      if (error instanceof HasGrown) return this.apply(call, access, { properties });
      throw error;
    }
  }

  /** True when the request asks for another schema. Throws 400 naming the column and the reason. */
  private changes(collection: Collection, properties: unknown): boolean {
    return columnChanges(collection, changedCollection(collection, properties, this.clock.now())).length > 0;
  }

  private async applyAtOnce(call: Call, access: Access, properties: unknown): Promise<SchemaView> {
    const { schema } = this.admission;
    const { orgId, id } = access.collection;
    for (let attempt = 0; ; attempt++) {
      try {
        return await schema.run(orgId, id, async () => {
          await call.rights?.renewIfOld();
          return this.change(call, access, properties);
        });
      } catch (error) {
        const waits = sqlState(error) === '55P03' && attempt < PAUSES_MS.length;
        if (!waits) throw alterRefusal(error);
      }
      await pause(PAUSES_MS[attempt]);
    }
  }

  private preview(before: Collection, properties: unknown): Promise<SchemaView> {
    const after = changedCollection(before, properties, this.clock.now());
    return this.transactions.run({ statementTimeoutMs: PREVIEW_WITHIN_MS }, async manager => {
      await this.refuseOffenders(manager, before, after);
      return {
        ...schemaView(after),
        dry_run: true,
        changes: columnChanges(before, after),
        affected_count: await countMoved(manager, before, after),
      };
    });
  }

  private change(call: Call, access: Access, properties: unknown): Promise<SchemaView> {
    return this.transactions.run({ lockTimeoutMs: LOCK_TIMEOUT_MS, statementTimeoutMs: 0 }, manager =>
      idempotently(manager, call, async () => {
        const before = await lockSettled(manager, access);
        return schemaView(await this.changeLocked(manager, call, before, properties));
      }),
    );
  }

  private async changeLocked(
    manager: EntityManager,
    call: Call,
    before: Collection,
    properties: unknown,
  ): Promise<Collection> {
    const after = changedCollection(before, properties, this.clock.now());
    if (columnChanges(before, after).length === 0) return before;
    await lockOutMaintenance(manager, versionsTable(before));
    await lockTable(manager, tableOf(before));
    if (await this.online.suits(before, manager)) throw new HasGrown();
    await this.expiry.purge(manager, before);
    await this.refuseOffenders(manager, before, after);
    await alterTable(this.tables, manager, before, after, after.indexes, after.uniques);
    const { id, columns, retiredColumns, version, updatedAt } = after;
    await manager.update(Collection, { id }, { columns, retiredColumns, version, updatedAt });
    await recordSchemaChange(this.audit, manager, call, before, after);
    return after;
  }

  private async refuseOffenders(
    manager: EntityManager,
    before: Collection,
    after: Collection,
  ): Promise<void> {
    const found = await offenders(manager, before, after);
    if (found.length > 0) throw offendersRefusal(found, before, after);
  }
}

/** The table became too large for a change in one transaction while the change waited for its turn or for the lock. */
class HasGrown extends Error {}
