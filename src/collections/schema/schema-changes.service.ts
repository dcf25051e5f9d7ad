import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../../audit/audit-log.js';
import { Admission } from '../../database/admission/admission.js';
import { execute } from '../../database/queryable.js';
import { Transactions } from '../../database/transactions.js';
import { idempotently } from '../../idempotency/stored-responses.js';
import type { Call } from '../../kernel/call.js';
import { Clock } from '../../kernel/clock.js';
import { sqlState } from '../../kernel/sql-state.js';
import { sql } from '../../sql/index.js';
import { tableOf } from '../../storage/collection-shape.js';
import { alterTable, countMoved, offenders } from '../../storage/table/alter.js';
import { TableAccess } from '../../storage/table-access.js';
import { Collection } from '../collection.entity.js';
import type { Access } from '../collection-access.js';
import { CollectionExpiry } from '../collection-expiry.service.js';
import { lockSettled } from '../locked-collection.js';
import { mergeColumns } from './parse-schema.js';
import type { SchemaView, UpdateSchemaBody } from './schema.dto.js';
import { columnChanges, schemaView } from './schema.dto.js';
import { alterRefusal, offendersRefusal } from './schema-refusals.js';

/**
 * Lock timeout of a change. While a change waits for the table lock that a long read holds, all later statements wait
 * behind it. After the timeout they run, and then the change tries again.
 */
const LOCK_TIMEOUT_MS = 1_000;
const PAUSES_MS = [250, 500, 1_000];

const PREVIEW_WITHIN_MS = 60_000;

/** Changes schemas: table, stored values, metadata and audit event in one transaction. */
@Injectable()
export class SchemaChanges {
  constructor(
    private readonly transactions: Transactions,
    private readonly expiry: CollectionExpiry,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly admission: Admission,
    private readonly tables: TableAccess,
  ) {}

  async apply(call: Call, access: Access, { properties, dry_run }: UpdateSchemaBody): Promise<SchemaView> {
    const { schema } = this.admission;
    const { orgId, id } = access.collection;
    if (dry_run) return schema.run(orgId, `preview ${id}`, () => this.preview(access.collection, properties));
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
    const after = { ...before, columns: mergeColumns(before.columns, properties) };
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
    const after = this.changed(before, properties);
    if (columnChanges(before, after).length === 0) return before;
    await execute(manager, sql`LOCK TABLE ${tableOf(before)} IN ACCESS EXCLUSIVE MODE`);
    await this.expiry.purge(manager, before);
    await this.refuseOffenders(manager, before, after);
    await alterTable(this.tables, manager, before, after, after.indexes, after.uniques);
    const { id, columns, version, updatedAt } = after;
    await manager.update(Collection, { id }, { columns, version, updatedAt });
    await this.record(manager, call, before, after);
    return after;
  }

  private changed(before: Collection, properties: unknown): Collection {
    return Object.assign(new Collection(), before, {
      columns: mergeColumns(before.columns, properties),
      version: before.version + 1,
      updatedAt: this.clock.now(),
    });
  }

  private async refuseOffenders(
    manager: EntityManager,
    before: Collection,
    after: Collection,
  ): Promise<void> {
    const found = await offenders(manager, before, after);
    if (found.length > 0) throw offendersRefusal(found, before, after);
  }

  private record(manager: EntityManager, call: Call, before: Collection, after: Collection): Promise<void> {
    const changes = columnChanges(before, after);
    return this.audit.record(manager, call, after.orgId, {
      type: 'collections.schema.updated',
      target: { type: 'collection', id: after.id, name: after.name },
      changes: {
        before: Object.fromEntries(changes.map(change => [change.column, change.before])),
        after: Object.fromEntries(changes.map(change => [change.column, change.after])),
      },
    });
  }
}
