import type { Call } from '../kernel/call.js';
import { newId } from '../kernel/id.js';

/** What a write says about itself. Source: collections contract, "Writes, audit, expiry". */
export interface AuditEntry {
  /** `<resource>.<past participle>`, for example `collections.records.inserted`. */
  readonly type: string;
  readonly target: { readonly type: string; readonly id: string; readonly name?: string };
  readonly count?: number;
  readonly recordIds?: readonly string[];
  /** For metadata only, never record contents, never a secret. */
  readonly changes?: { readonly before?: unknown; readonly after?: unknown };
}

/** Record ids kept in one event; `count` is exact beyond it. */
export const MAX_RECORD_IDS = 1_000;

export const AUDIT_COLUMNS = 'id, type, actor, target, changes, correlation_id, ip, count, record_ids';

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

/** The same as values of a statement. */
export function eventValues(call: Call, entry: AuditEntry): unknown[] {
  const { id, type, actor, target, changes, correlation_id, ip } = eventFields(call, entry);
  return [
    id,
    type,
    JSON.stringify(actor),
    JSON.stringify(target),
    changes === null ? null : JSON.stringify(changes),
    correlation_id,
    ip,
  ];
}
