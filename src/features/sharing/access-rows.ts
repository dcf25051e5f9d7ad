import type { EntityManager } from 'typeorm';
import { type GrantParts, shownParts } from '../../base/kernel/grant-parts.js';
import { isUuid } from '../../base/kernel/id.js';
import type { Queryable } from '../../platform/database/queryable.js';
import { offsetOf, type Page } from '../../platform/http/list-page.js';
import type { Collection } from '../collections/collection.entity.js';
import type { Access } from '../collections/collection-access.js';
import type { BoundType, CollectionBinding } from '../collections/collection-binding.entity.js';
import type { AccessBindingView } from './access.dto.js';

const GROUP_SLUG = /^[a-z0-9][a-z0-9_-]*$/;

/** With whom a collection can be shared, as the table holds it. */
export type BoundPrincipal = Pick<CollectionBinding, 'principalType' | 'userId' | 'groupSlug' | 'agentId'>;

/** Parses the name that clients use; undefined for one that cannot belong to the organization. */
export function boundPrincipal(orgSlug: string, type: string, id: string): BoundPrincipal | undefined {
  const none = { userId: null, groupSlug: null, agentId: null };
  switch (type) {
    case 'user':
      return isUuid(id) ? { ...none, principalType: type, userId: id.toLowerCase() } : undefined;
    case 'agent':
      return isUuid(id) ? { ...none, principalType: type, agentId: id.toLowerCase() } : undefined;
    case 'group': {
      const slug = id.startsWith(`${orgSlug}:`) ? id.slice(orgSlug.length + 1) : '';
      return GROUP_SLUG.test(slug) ? { ...none, principalType: type, groupSlug: slug } : undefined;
    }
    case 'org':
    case 'anonymous':
    case 'signup':
      return id === orgSlug ? { ...none, principalType: type } : undefined;
    default:
      return undefined;
  }
}

/** The name that clients use: the id of a user or agent, `orgSlug:groupSlug`, or the organization's slug. */
export function principalId(
  orgSlug: string,
  { userId, groupSlug, agentId }: Omit<BoundPrincipal, 'principalType'>,
): string {
  return userId ?? agentId ?? (groupSlug === null ? orgSlug : `${orgSlug}:${groupSlug}`);
}

const ORG = 'SELECT FROM orgs WHERE id = $1 AND $2::text IS NULL FOR KEY SHARE';
const IN_ORG: Record<BoundType, string> = {
  user: `SELECT FROM org_memberships m JOIN users u ON u.id = m.user_id AND u.status = 'active'
    WHERE m.org_id = $1 AND m.user_id = $2::uuid FOR KEY SHARE OF m`,
  group: 'SELECT FROM org_groups WHERE org_id = $1 AND slug = $2 FOR KEY SHARE',
  agent: 'SELECT FROM agents WHERE org_id = $1 AND id = $2::uuid FOR KEY SHARE',
  ...{ org: ORG, anonymous: ORG, signup: ORG },
};

/** True when the organization has this member, group or agent. Locks the row, so that it stays until the transaction ends. */
export async function isInOrg(
  manager: EntityManager,
  orgId: string,
  { principalType, userId, groupSlug, agentId }: BoundPrincipal,
): Promise<boolean> {
  const id = userId ?? groupSlug ?? agentId;
  return (await manager.query(IN_ORG[principalType], [orgId, id])).length > 0;
}

/** True for the owner of the collection, who needs no binding and cannot get one. */
export function isOwner({ ownerType, ownerId }: Collection, type: string, id: string): boolean {
  return type === ownerType && id.toLowerCase() === ownerId;
}

interface AccessRow extends GrantParts {
  readonly principal_type: string;
  readonly user_id: string | null;
  readonly group_slug: string | null;
  readonly agent_id: string | null;
  readonly role: string;
  readonly email: string | null;
}

/** The owner, who has no binding, and the bindings of collection $1. */
const SELECT_ACCESS = `
  SELECT a.principal_type, a.user_id, a.group_slug, a.agent_id, a.role, a.rules, a.fields, a.limits, u.email FROM (
    SELECT 0 AS position, created_at, id, owner_type AS principal_type, owner_id AS user_id, NULL AS group_slug,
      NULL::uuid AS agent_id, 'owner' AS role, NULL::jsonb AS rules, NULL::jsonb AS fields, NULL::jsonb AS limits
    FROM collections WHERE id = $1 AND deleted_at IS NULL
    UNION ALL
    SELECT 1, created_at, id, principal_type, user_id, group_slug, agent_id, role, rules, fields, limits
    FROM collection_bindings WHERE collection_id = $1
  ) a LEFT JOIN users u ON a.principal_type = 'user' AND u.id = a.user_id`;

/** A page of those with access: the owner first, then the bindings in the order in which they were granted. */
export async function accessPage(
  database: Queryable,
  { collection, membership }: Access,
  page: Page,
): Promise<AccessBindingView[]> {
  const rows: AccessRow[] = await database.query(
    `${SELECT_ACCESS} ORDER BY a.position, a.created_at, a.id LIMIT $2 OFFSET $3`,
    [collection.id, page.limit, offsetOf(page)],
  );
  return rows.map(row => viewOf(collection.id, membership.orgSlug, row));
}

export async function ownerAccess(database: Queryable, access: Access): Promise<AccessBindingView> {
  const [owner] = await accessPage(database, access, { page: 1, limit: 1 });
  return owner as AccessBindingView;
}

/** The binding of one principal; undefined when it has none. */
export async function boundAccess(
  database: Queryable,
  { collection, membership }: Access,
  { principalType, userId, groupSlug, agentId }: BoundPrincipal,
): Promise<AccessBindingView | undefined> {
  const [row]: AccessRow[] = await database.query(
    `${SELECT_ACCESS} WHERE a.position = 1 AND a.principal_type = $2
       AND a.user_id IS NOT DISTINCT FROM $3::uuid AND a.group_slug IS NOT DISTINCT FROM $4::text
       AND a.agent_id IS NOT DISTINCT FROM $5::uuid`,
    [collection.id, principalType, userId, groupSlug, agentId],
  );
  return row && viewOf(collection.id, membership.orgSlug, row);
}

function viewOf(collectionId: string, orgSlug: string, row: AccessRow): AccessBindingView {
  return {
    object: 'collection.access',
    collection_id: collectionId,
    principal_type: row.principal_type,
    principal_id: principalId(orgSlug, {
      userId: row.user_id,
      groupSlug: row.group_slug,
      agentId: row.agent_id,
    }),
    role: row.role,
    ...shownParts(row),
    ...(row.email !== null && { email: row.email }),
  };
}
