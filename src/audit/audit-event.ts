import type { Call } from '../kernel/call.js';
import { newId } from '../kernel/id.js';
import { type Param, param, sql } from '../sql/index.js';

/** An audit event as the write describes it. Source: collections contract, "Writes, audit, expiry". */
export interface AuditEntry {
  /** `<resource>.<past participle>`, for example `collections.records.inserted`. */
  readonly type: string;
  readonly target: { readonly type: string; readonly id: string; readonly name?: string };
  readonly count?: number;
  readonly recordIds?: readonly string[];
  /** For metadata only, never record contents, never a secret. */
  readonly changes?: { readonly before?: unknown; readonly after?: unknown };
}

/** Maximum of record ids in one event; `count` stays exact beyond it. */
export const MAX_RECORD_IDS = 1_000;

export const AUDIT_COLUMNS = sql`id, type, actor, target, changes, correlation_id, ip, count, record_ids`;

/** The first seven AUDIT_COLUMNS of a new event. */
export function eventFields({ principal, via, correlationId, ip }: Call, entry: AuditEntry) {
  return {
    id: newId(),
    type: entry.type,
    actor: { type: principal.type, id: principal.id, via, actingUserId: principal.actingUserId },
    target: entry.target,
    changes: entry.changes ?? null,
    correlation_id: correlationId,
    ip: ip ?? null,
  };
}

/** The values of `eventFields` as parameters of a statement. */
export function eventParams(call: Call, entry: AuditEntry): Param[] {
  const { id, type, actor, target, changes, correlation_id, ip } = eventFields(call, entry);
  return [
    param(id, 'uuid'),
    param(type, 'text'),
    param(JSON.stringify(actor), 'jsonb'),
    param(JSON.stringify(target), 'jsonb'),
    param(changes === null ? null : JSON.stringify(changes), 'jsonb'),
    param(correlation_id, 'text'),
    param(ip, 'text'),
  ];
}
