import { joined, param, type Sql, sql } from '../sql/index.js';
import { auditTable } from './audit-log.js';

/** What narrows a list of events. */
export interface AuditConditions {
  readonly type: string | undefined;
  readonly since: Date | undefined;
  readonly until: Date | undefined;
  /** Only events with a smaller id. */
  readonly before: string | undefined;
}

/** Ids are made by instances, instants by the database: their clocks differ by less than this. */
const CLOCKS_DIFFER_MS = 3_600_000;

/** What the log shows of an event. */
export const COLUMNS = sql`id, type, created_at, actor, target, count, record_ids, changes, correlation_id, ip`;

/** Events about something else that belongs to a collection; `changes` name it. */
const BELONGING = [
  'collections.apikeys.created',
  'collections.apikeys.updated',
  'collections.apikeys.rotated',
  'collections.apikeys.revoked',
];

/**
 * The newest events about a collection and its keys. Two walks along an index each: by target for the collection,
 * by type for keys, of whose events there are few (materialized, or the planner would walk the whole log for them).
 */
export function collectionTrail(
  orgId: string,
  collectionId: string,
  conditions: AuditConditions,
  limit: number,
): Sql {
  const [id, most] = [param(collectionId, 'text'), param(limit, 'bigint')];
  const narrowed = joined(narrowing(conditions), ' AND ');
  const log = auditTable(orgId);
  return sql`
    WITH belonging AS MATERIALIZED (
      SELECT ${COLUMNS} FROM ${log} WHERE type = ANY(${param(BELONGING, 'text[]')}) AND ${narrowed})
    (SELECT ${COLUMNS} FROM ${log} WHERE target->>'id' = ${id} AND ${narrowed} ORDER BY id DESC LIMIT ${most})
    UNION ALL
    (SELECT ${COLUMNS} FROM belonging
     WHERE ${id} IN (changes->'after'->>'collectionId', changes->'before'->>'collectionId')
     ORDER BY id DESC LIMIT ${most})
    ORDER BY id DESC LIMIT ${most}`;
}

/** Ids grow with time, so an instant bounds them too, and the index is not walked further than that. */
export function narrowing({ type, since, until, before }: AuditConditions): Sql[] {
  const conditions = [sql`true`];
  if (type !== undefined) conditions.push(sql`type = ${param(type, 'text')}`);
  if (before !== undefined) conditions.push(sql`id < ${param(before, 'uuid')}`);
  if (since !== undefined)
    conditions.push(
      sql`created_at >= ${param(since, 'timestamptz')}`,
      sql`id >= ${param(firstId(since, -CLOCKS_DIFFER_MS), 'uuid')}`,
    );
  if (until !== undefined)
    conditions.push(
      sql`date_trunc('milliseconds', created_at) <= ${param(until, 'timestamptz')}`,
      sql`id < ${param(firstId(until, CLOCKS_DIFFER_MS), 'uuid')}`,
    );
  return conditions;
}

/** The smallest uuid v7 of an instant (RFC 9562, 5.7: 48 bits of milliseconds come first). */
export function firstId(instant: Date, shiftMs: number): string {
  const ms = Math.min(Math.max(instant.getTime() + shiftMs, 0), 2 ** 48 - 1);
  return ms.toString(16).padStart(12, '0').padEnd(32, '0');
}
