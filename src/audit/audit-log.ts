import { Injectable } from '@nestjs/common';
import { orgSchema } from '../database/org-schema.js';
import type { Queryable } from '../database/queryable.js';
import type { Call } from '../kernel/call.js';
import { AUDIT_COLUMNS, type AuditEntry, eventValues, MAX_RECORD_IDS } from './audit-event.js';

/** The log of an organization, or the platform's for events that belong to none. */
export function auditTable(orgId: string | undefined): string {
  return orgId === undefined ? 'audit_events' : `${orgSchema(orgId)}.audit_events`;
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
    await transaction.query(
      `INSERT INTO ${auditTable(orgId)} (${AUDIT_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [...eventValues(call, entry), entry.count ?? null, entry.recordIds?.slice(0, MAX_RECORD_IDS) ?? null],
    );
  }
}
