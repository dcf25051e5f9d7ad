import type { Call } from '../kernel/call.js';
import { AUDIT_COLUMNS, type AuditEntry, eventFields, eventValues, MAX_RECORD_IDS } from './audit-event.js';
import { auditTable } from './audit-log.js';

/**
 * The event of a record write as a part of the write's own statement. `written` is the name of the statement's
 * CTE that returns one row with an `_id` per written record; without such a row there is no event.
 * `add` puts a value among the statement's parameters and returns its placeholder.
 */
export function eventCte(
  call: Call,
  orgId: string,
  entry: AuditEntry,
  written: string,
  add: (value: unknown, castType: string) => string,
): string {
  const types = ['uuid', 'text', 'jsonb', 'jsonb', 'jsonb', 'text', 'text'];
  const values = eventValues(call, entry).map((value, index) => add(value, types[index] as string));
  return `INSERT INTO ${auditTable(orgId)} (${AUDIT_COLUMNS})
    SELECT ${values.join(', ')}, count(*)::int, (array_agg(_id))[1:${MAX_RECORD_IDS}]
    FROM ${written} HAVING count(*) > 0`;
}

/** An event whose records are known before they are written. */
export interface KnownEvent {
  readonly call: Call;
  readonly entry: AuditEntry & { readonly count: number; readonly recordIds: readonly string[] };
}

/** The events of several writes that one statement does, all or none, as a part of it. As `eventCte`. */
export function eventsCte(
  orgId: string,
  events: readonly KnownEvent[],
  written: string,
  add: (value: unknown, castType: string) => string,
): string {
  const rows = events.map(({ call, entry }) => ({
    ...eventFields(call, entry),
    count: entry.count,
    record_ids: entry.recordIds,
  }));
  return `INSERT INTO ${auditTable(orgId)} (${AUDIT_COLUMNS})
    SELECT ${AUDIT_COLUMNS} FROM jsonb_to_recordset(${add(JSON.stringify(rows), 'jsonb')}) AS e(id uuid, type text,
      actor jsonb, target jsonb, changes jsonb, correlation_id text, ip text, count int, record_ids uuid[])
    WHERE EXISTS (SELECT FROM ${written})`;
}
