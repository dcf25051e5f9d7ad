import { Injectable } from '@nestjs/common';
import { orgTable } from '../database/org-schema.js';
import { execute, type Queryable } from '../database/queryable.js';
import type { Call } from '../kernel/call.js';
import { identifier, joined, param, type Sql, sql } from '../sql/index.js';
import { AUDIT_COLUMNS, type AuditEntry, eventParams, MAX_RECORD_IDS } from './audit-event.js';

/** The audit table of an organization, or of the platform for events that belong to no organization. */
export function auditTable(orgId: string | undefined): Sql {
  return orgId === undefined ? identifier('audit_events') : orgTable(orgId, 'audit_events');
}

/**
 * Writes audit events in the caller's transaction: the write and its event are committed together or not at all. The
 * write holds all its locks by then, so this is where old rights are checked again.
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
