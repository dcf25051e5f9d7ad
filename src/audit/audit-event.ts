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

/** The values of the first seven AUDIT_COLUMNS for one event. */
export function eventValues(call: Call, entry: AuditEntry): unknown[] {
  const { principal, via } = call;
  return [
    newId(),
    entry.type,
    JSON.stringify({ type: principal.type, id: principal.id, via, actingUserId: principal.actingUserId }),
    JSON.stringify(entry.target),
    entry.changes === undefined ? null : JSON.stringify(entry.changes),
    call.correlationId,
    call.ip ?? null,
  ];
}
