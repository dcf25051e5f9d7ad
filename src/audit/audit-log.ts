import { Injectable } from '@nestjs/common';
import { orgTable } from '../database/org-schema.js';
import { execute, type Queryable } from '../database/queryable.js';
import type { Call } from '../kernel/call.js';
import { newId } from '../kernel/id.js';
import { type Cte, identifier, joined, literal, type Param, param, type Sql, sql } from '../sql/index.js';

/** An audit event as the write describes it. Source: collections contract, "Writes, audit, expiry". */
export interface AuditEntry {
  /** Set by a write that returns the id of its event; otherwise it gets a new one. */
  readonly id?: string;
  /** `<resource>.<past participle>`, for example `collections.records.inserted`. */
  readonly type: string;
  readonly target: { readonly type: string; readonly id: string; readonly name?: string };
  readonly count?: number;
  readonly recordIds?: readonly string[];
  /** For metadata `before` and `after`; for a batch of records the counts. Never record contents, never a secret. */
  readonly changes?: Readonly<Record<string, unknown>>;
}

/** Maximum of record ids in one event; `count` stays exact beyond it. */
export const MAX_RECORD_IDS = 1_000;

const EVENT_FIELDS = sql`id, type, actor, target, changes, correlation_id, ip, count, record_ids`;
const AUDIT_COLUMNS = sql`${EVENT_FIELDS}, created_at`;
/** Not the start of the transaction: that of an import begins before its upload. */
const CREATED_AT = sql`statement_timestamp()`;

/** The first seven EVENT_FIELDS of a new event. */
function eventFields({ principal, via, correlationId, ip }: Call, entry: AuditEntry) {
  return {
    id: entry.id ?? newId(),
    type: entry.type,
    actor: { type: principal.type, id: principal.id, via, actingUserId: principal.actingUserId },
    target: entry.target,
    changes: entry.changes ?? null,
    correlation_id: correlationId,
    ip: ip ?? null,
  };
}

/** The values of `eventFields` as parameters of a statement. */
function eventParams(call: Call, entry: AuditEntry): Param[] {
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
      sql`INSERT INTO ${auditTable(orgId)} (${AUDIT_COLUMNS}) VALUES (${joined(values)}, ${CREATED_AT})`,
    );
  }

  /** As `record`, for the same act on any number of targets: one event for each of them, in one statement. */
  async recordEach(
    transaction: Queryable,
    call: Call,
    orgId: string | undefined,
    { type, target }: { readonly type: string; readonly target: { type: string; ids: readonly string[] } },
  ): Promise<void> {
    if (target.ids.length === 0) return;
    await call.rights?.confirm();
    const ids = target.ids.map(() => newId());
    const { actor, correlation_id, ip } = eventFields(call, { type, target: { type: target.type, id: '' } });
    await execute(
      transaction,
      sql`INSERT INTO ${auditTable(orgId)} (id, type, actor, target, correlation_id, ip, created_at)
        SELECT event_id, ${param(type, 'text')}, ${param(JSON.stringify(actor), 'jsonb')},
          jsonb_build_object('type', ${param(target.type, 'text')}, 'id', target_id),
          ${param(correlation_id, 'text')}, ${param(ip, 'text')}, ${CREATED_AT}
        FROM unnest(${param(ids, 'uuid[]')}, ${param(target.ids, 'uuid[]')}) AS events (event_id, target_id)`,
    );
  }
}

const MOST_IDS = literal(MAX_RECORD_IDS);

/**
 * The audit event of a record write, as part of the write's own statement. `written` returns one row with an `_id` per
 * written record. There is no event when it returns no row.
 */
export function eventSql(call: Call, orgId: string, entry: AuditEntry, written: Cte): Sql {
  return sql`INSERT INTO ${auditTable(orgId)} (${AUDIT_COLUMNS})
    SELECT ${joined(eventParams(call, entry))}, count(*)::int, (array_agg(_id))[1:${MOST_IDS}], ${CREATED_AT}
    FROM ${written} HAVING count(*) > 0`;
}

/** The event of a write of one record. */
export interface EventOfRecord {
  readonly call: Call;
  readonly entry: AuditEntry;
  readonly recordId: string;
}

/** As `eventSql`, for several writes that one statement does. The events of records that are not in `written` are left out. */
export function eventsSql(orgId: string, events: readonly EventOfRecord[], written: Cte): Sql {
  const rows = events.map(({ call, entry, recordId }) => ({
    ...eventFields(call, entry),
    count: 1,
    record_ids: [recordId],
  }));
  return sql`INSERT INTO ${auditTable(orgId)} (${AUDIT_COLUMNS})
    SELECT ${EVENT_FIELDS}, ${CREATED_AT} FROM jsonb_to_recordset(${param(JSON.stringify(rows), 'jsonb')}) AS e(id uuid, type text,
      actor jsonb, target jsonb, changes jsonb, correlation_id text, ip text, count int, record_ids uuid[])
    WHERE record_ids[1] IN (SELECT _id FROM ${written})`;
}
