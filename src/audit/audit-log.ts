import { Injectable } from '@nestjs/common';
import { orgTable } from '../database/org-schema.js';
import { execute, type Queryable } from '../database/queryable.js';
import type { Call } from '../kernel/call.js';
import { identifier, joined, param, type Sql, sql } from '../sql/index.js';
import { AUDIT_COLUMNS, type AuditEntry, eventParams, MAX_RECORD_IDS } from './audit-event.js';

/** The log of an organization, or the platform's for events that belong to none. */
export function auditTable(orgId: string | undefined): Sql {
  return orgId === undefined ? identifier('audit_events') : orgTable(orgId, 'audit_events');
}

/**
 * Writes events in the caller's transaction: no write without its event, no event without its write. A write that has
 * waited for locks has its rights decided again here, where it has all of them.
 */
@Injectable()
export class AuditLog {
  async record(
    transaction: Queryable,
    call: Call,
    orgId: string | undefined,
    entry: AuditEntry,
  ): Promise<void> {
    await call.rights?.confirm();
    const values = [
      ...eventParams(call, entry),
      param(entry.count ?? null, 'integer'),
      param(entry.recordIds?.slice(0, MAX_RECORD_IDS) ?? null, 'uuid[]'),
    ];
    await execute(
      transaction,
      sql`INSERT INTO ${auditTable(orgId)} (${AUDIT_COLUMNS}) VALUES (${joined(values)})`,
    );
  }
}
