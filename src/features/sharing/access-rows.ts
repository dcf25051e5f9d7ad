import type { EntityManager } from 'typeorm';
import { isUuid } from '../../base/kernel/id.js';
import type { Queryable } from '../../platform/database/queryable.js';
import { offsetOf, type Page } from '../../platform/http/list-page.js';
import type { BoundType, Collection, CollectionBinding } from '../collections/collection.entity.js';
import type { Access } from '../collections/collection-access.js';
import type { AccessBindingView } from './access.dto.js';

const GROUP_SLUG = /^[a-z0-9][a-z0-9_-]*$/;

/** With whom a collection can be shared, as the table holds it. */
export type BoundPrincipal = Pick<CollectionBinding, 'principalType' | 'userId' | 'groupSlug'>;

/** Parses the name that clients use; undefined for one that cannot belong to the organization. */
export function boundPrincipal(orgSlug: string, type: string, id: string): BoundPrincipal | undefined {
  switch (type) {
    case 'user':
      return isUuid(id) ? { principalType: 'user', userId: id.toLowerCase(), groupSlug: null } : undefined;
    case 'group': {
      const slug = id.startsWith(`${orgSlug}:`) ? id.slice(orgSlug.length + 1) : '';
      return GROUP_SLUG.test(slug) ? { principalType: 'group', userId: null, groupSlug: slug } : undefined;
    }
    case 'org':
      return id === orgSlug ? { principalType: 'org', userId: null, groupSlug: null } : undefined;
    default:
      return undefined;
  }
}

/** The name that clients use: a user's id, `orgSlug:groupSlug`, or the organization's slug. */
export function principalId(
  orgSlug: string,
  { userId, groupSlug }: Omit<BoundPrincipal, 'principalType'>,
): string {
  return userId ?? (groupSlug === null ? orgSlug : `${orgSlug}:${groupSlug}`);
}

const IN_ORG: Record<BoundType, string> = {
  user: `SELECT FROM org_memberships m JOIN users u ON u.id = m.user_id AND u.status = 'active'
    WHERE m.org_id = $1 AND m.user_id = $2::uuid AND $3::text IS NULL FOR KEY SHARE OF m`,
  group: 'SELECT FROM org_groups WHERE org_id = $1 AND $2::uuid IS NULL AND slug = $3 FOR KEY SHARE',
  org: 'SELECT FROM orgs WHERE id = $1 AND $2::uuid IS NULL AND $3::text IS NULL FOR KEY SHARE',
};

/** True when the organization has this member or group. Locks the row, so that it stays until the transaction ends. */
export async function isInOrg(
  manager: EntityManager,
  orgId: string,
  { principalType, userId, groupSlug }: BoundPrincipal,
): Promise<boolean> {
  return (await manager.query(IN_ORG[principalType], [orgId, userId, groupSlug])).length > 0;
}

/** True for the owner of the collection, who needs no binding and cannot get one. */
export function isOwner({ ownerType, ownerId }: Collection, type: string, id: string): boolean {
  return type === ownerType && id.toLowerCase() === ownerId;
}

interface AccessRow {
  readonly principal_type: string;
  readonly user_id: string | null;
  readonly group_slug: string | null;
  readonly role: string;
  readonly email: string | null;
}

/** The owner, who has no binding, and the bindings of collection $1. */
const SELECT_ACCESS = `
  SELECT a.principal_type, a.user_id, a.group_slug, a.role, u.email FROM (
    SELECT 0 AS position, id, owner_type AS principal_type, owner_id AS user_id, NULL AS group_slug, 'owner' AS role
    FROM collections WHERE id = $1 AND deleted_at IS NULL
    UNION ALL
    SELECT 1, id, principal_type, user_id, group_slug, role FROM collection_bindings WHERE collection_id = $1
  ) a LEFT JOIN users u ON a.principal_type = 'user' AND u.id = a.user_id`;

/** A page of those with access: the owner first, then the bindings in the order in which they were granted. */
export async function accessPage(
  database: Queryable,
  { collection, membership }: Access,
  page: Page,
): Promise<AccessBindingView[]> {
  const rows: AccessRow[] = await database.query(
    `${SELECT_ACCESS} ORDER BY a.position, a.id LIMIT $2 OFFSET $3`,
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
  { principalType, userId, groupSlug }: BoundPrincipal,
): Promise<AccessBindingView | undefined> {
  const [row]: AccessRow[] = await database.query(
    `${SELECT_ACCESS} WHERE a.position = 1 AND a.principal_type = $2
       AND a.user_id IS NOT DISTINCT FROM $3::uuid AND a.group_slug IS NOT DISTINCT FROM $4::text`,
    [collection.id, principalType, userId, groupSlug],
  );
  return row && viewOf(collection.id, membership.orgSlug, row);
}

function viewOf(collectionId: string, orgSlug: string, row: AccessRow): AccessBindingView {
  return {
    object: 'collection.access',
    collection_id: collectionId,
    principal_type: row.principal_type,
    principal_id: principalId(orgSlug, { userId: row.user_id, groupSlug: row.group_slug }),
    role: row.role,
    ...(row.email !== null && { email: row.email }),
  };
}
