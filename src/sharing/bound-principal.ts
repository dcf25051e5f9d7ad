import type { EntityManager } from 'typeorm';
import type { Collection } from '../collections/collection.entity.js';
import type { BoundType, CollectionBinding } from '../collections/collection-binding.entity.js';
import { isUuid } from '../kernel/id.js';

const GROUP_SLUG = /^[a-z0-9][a-z0-9_-]*$/;

/** With whom a collection can be shared, as the table holds it. */
export type BoundPrincipal = Pick<CollectionBinding, 'principalType' | 'userId' | 'groupSlug'>;

/** What clients call it; undefined for what cannot be anybody in the organization, whatever exists there. */
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

/** The other way round: a user's id, `orgSlug:groupSlug`, or the organization's slug. */
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

/** True when the organization has such a member or group; it stays until the transaction ends. */
export async function isInOrg(
  manager: EntityManager,
  orgId: string,
  { principalType, userId, groupSlug }: BoundPrincipal,
): Promise<boolean> {
  return (await manager.query(IN_ORG[principalType], [orgId, userId, groupSlug])).length > 0;
}

/** True for the owner, whose access rests on no binding and is never changed by one. */
export function isOwner({ ownerType, ownerId }: Collection, type: string, id: string): boolean {
  return type === ownerType && id.toLowerCase() === ownerId;
}
