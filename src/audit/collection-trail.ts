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
export const COLUMNS = 'id, type, created_at, actor, target, count, record_ids, changes, correlation_id, ip';

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
): { text: string; values: unknown[] } {
  const values: unknown[] = [collectionId, BELONGING, limit];
  const narrowed = narrowing(conditions, value => `$${values.push(value)}`).join(' AND ');
  const log = auditTable(orgId);
  const text = `
    WITH belonging AS MATERIALIZED (SELECT ${COLUMNS} FROM ${log} WHERE type = ANY($2::text[]) AND ${narrowed})
    (SELECT ${COLUMNS} FROM ${log} WHERE target->>'id' = $1 AND ${narrowed} ORDER BY id DESC LIMIT $3)
    UNION ALL
    (SELECT ${COLUMNS} FROM belonging
     WHERE $1 IN (changes->'after'->>'collectionId', changes->'before'->>'collectionId') ORDER BY id DESC LIMIT $3)
    ORDER BY id DESC LIMIT $3`;
  return { text, values };
}

/** Ids grow with time, so an instant bounds them too, and the index is not walked further than that. */
export function narrowing(
  { type, since, until, before }: AuditConditions,
  add: (value: unknown) => string,
): string[] {
  return [
    'true',
    ...(type === undefined ? [] : [`type = ${add(type)}`]),
    ...(before === undefined ? [] : [`id < ${add(before)}::uuid`]),
    ...(since === undefined
      ? []
      : [
          `created_at >= ${add(since)}::timestamptz`,
          `id >= ${add(firstId(since, -CLOCKS_DIFFER_MS))}::uuid`,
        ]),
    ...(until === undefined
      ? []
      : [
          `date_trunc('milliseconds', created_at) <= ${add(until)}::timestamptz`,
          `id < ${add(firstId(until, CLOCKS_DIFFER_MS))}::uuid`,
        ]),
  ];
}

/** The smallest uuid v7 of an instant (RFC 9562, 5.7: 48 bits of milliseconds come first). */
export function firstId(instant: Date, shiftMs: number): string {
  const ms = Math.min(Math.max(instant.getTime() + shiftMs, 0), 2 ** 48 - 1);
  return ms.toString(16).padStart(12, '0').padEnd(32, '0');
}
