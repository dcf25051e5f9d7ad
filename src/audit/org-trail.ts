import { joined, param, type Sql, sql } from '../sql/index.js';
import { auditTable } from './audit-log.js';
import { type AuditConditions, COLUMNS, narrowing } from './collection-trail.js';

export interface OrgAuditConditions extends AuditConditions {
  /** What events are about: `orgs.members` stands for every type that begins with `orgs.members.`. */
  readonly category: string | undefined;
  /** Id of whoever did it. */
  readonly actor: string | undefined;
}

/**
 * The newest events of an organization. A category is one walk along the index by type and id for each of its types,
 * of which there are few; the types are found by leaps through the same index (PostgreSQL wiki, "Loose indexscan"),
 * or the planner would walk a log of millions of record writes for a handful of changed roles.
 */
export function orgTrail(
  orgId: string,
  { category, actor, ...conditions }: OrgAuditConditions,
  limit: number,
): Sql {
  const most = param(limit, 'bigint');
  const narrowed = narrowing(conditions);
  if (actor !== undefined) narrowed.push(sql`actor->>'id' = ${param(actor, 'text')}`);
  const log = auditTable(orgId);
  const newest = (...more: Sql[]) =>
    sql`SELECT ${COLUMNS} FROM ${log} WHERE ${joined([...more, ...narrowed], ' AND ')} ORDER BY id DESC LIMIT ${most}`;
  if (category === undefined) return newest();
  return sql`
    WITH RECURSIVE types (name) AS (
      (SELECT type FROM ${log} ORDER BY type LIMIT 1)
      UNION ALL
      SELECT (SELECT type FROM ${log} WHERE type > types.name ORDER BY type LIMIT 1)
      FROM types WHERE types.name IS NOT NULL)
    SELECT event.* FROM types
    CROSS JOIN LATERAL (${newest(sql`type = types.name`)}) event
    WHERE starts_with(types.name, ${param(`${category}.`, 'text')})
    ORDER BY event.id DESC LIMIT ${most}`;
}
