import { Injectable } from '@nestjs/common';
import type { Call } from '../../base/kernel/call.js';
import { newId } from '../../base/kernel/id.js';
import {
  type Cte,
  identifier,
  joined,
  literal,
  type Param,
  param,
  type Sql,
  sql,
} from '../../base/sql/index.js';
import { orgTable } from '../database/org-schema.js';
import { execute, type Queryable } from '../database/queryable.js';

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

const AUDIT_COLUMNS = sql`id, type, actor, target, changes, correlation_id, ip, count, record_ids, created_at`;
/** Not the start of the transaction: that of an import begins before its upload. */
const CREATED_AT = sql`statement_timestamp()`;

function actorOf({ principal, via }: Call) {
  return { type: principal.type, id: principal.id, via, actingUserId: principal.actingUserId };
}

/** The values of a new event as parameters, in the order of AUDIT_COLUMNS without the last three. */
function eventParams(call: Call, { id, type, target, changes }: AuditEntry): Param[] {
  return [
    param(id ?? newId(), 'uuid'),
    param(type, 'text'),
    param(JSON.stringify(actorOf(call)), 'jsonb'),
    param(JSON.stringify(target), 'jsonb'),
    param(changes === undefined ? null : JSON.stringify(changes), 'jsonb'),
    param(call.correlationId, 'text'),
    param(call.ip ?? null, 'text'),
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
    await execute(
      transaction,
      sql`INSERT INTO ${auditTable(orgId)} (id, type, actor, target, correlation_id, ip, created_at)
        SELECT event_id, ${param(type, 'text')}, ${param(JSON.stringify(actorOf(call)), 'jsonb')},
          jsonb_build_object('type', ${param(target.type, 'text')}, 'id', target_id),
          ${param(call.correlationId, 'text')}, ${param(call.ip ?? null, 'text')}, ${CREATED_AT}
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
  readonly id: string;
  readonly type: string;
  readonly call: Call;
  readonly recordId: string;
}

/** How many elements an `eventList` has. */
export const EVENT_ELEMENTS = 6;

/** An event of `eventsSql`. Lists are read by PostgreSQL faster than objects. The id of the record comes first. */
export function eventList({ id, type, call, recordId }: EventOfRecord): unknown[] {
  return [recordId, id, type, actorOf(call), call.correlationId, call.ip ?? null];
}

/**
 * As `eventSql`, for several writes to one `target` that one statement does. `lists`: SQL of the rows `e(list)`, which
 * begin with an `eventList`. The events of records that are not in `written` are left out.
 */
export function eventsSql(orgId: string, target: AuditEntry['target'], lists: Sql, written: Cte): Sql {
  return sql`INSERT INTO ${auditTable(orgId)} (${AUDIT_COLUMNS})
    SELECT (e.list->>1)::uuid, e.list->>2, e.list->3, ${param(JSON.stringify(target), 'jsonb')}, NULL, e.list->>4, e.list->>5, 1,
      ARRAY[(e.list->>0)::uuid], ${CREATED_AT}
    FROM ${lists}
    WHERE (e.list->>0)::uuid IN (SELECT _id FROM ${written})`;
}
