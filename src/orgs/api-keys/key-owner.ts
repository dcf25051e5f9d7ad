import type { EntityManager } from 'typeorm';
import { invalid, PlatformError } from '../../kernel/errors.js';
import { holds, type Membership, type Principal } from '../../kernel/principal.js';
import type { OrgApiKey } from './org-api-key.entity.js';

type Owner = Partial<Pick<OrgApiKey, 'ownerType' | 'ownerId'>>;

const OWNER_IN_ORG = {
  user: `SELECT 1 FROM org_memberships m JOIN users u ON u.id = m.user_id AND u.status = 'active'
    WHERE m.org_id = $1 AND m.user_id = $2`,
  agent: 'SELECT 1 FROM agents WHERE org_id = $1 AND id = $2',
};

/** 400 unless the owner, if there is one, is a member or an agent of the organization. */
export async function assertOwnerExists(manager: EntityManager, orgId: string, owner: Owner): Promise<void> {
  const { ownerType, ownerId } = owner;
  if (!ownerType && !ownerId) return;
  if (!ownerType || !ownerId) throw invalid('ownerType and ownerId go together: send both or neither.');
  const found = await manager.query(OWNER_IN_ORG[ownerType], [orgId, ownerId]);
  if (found.length === 0) throw invalid(`ownerId: there is no such ${ownerType} in the organization.`);
}

/**
 * 403 for the secret of a key that acts as somebody else: an agent's needs `agents:act`, as acting for it by
 * header does; another person's needs `*`, since it opens what belongs to that person.
 */
export function assertMayActAs(principal: Principal, membership: Membership, owner: Owner): void {
  if (!owner.ownerType || owner.ownerId === principal.id) return;
  const needed = owner.ownerType === 'agent' ? 'agents:act' : '*';
  if (!holds(principal, membership, needed)) {
    throw new PlatformError('Forbidden', `A key that acts as this ${owner.ownerType} needs ${needed}.`);
  }
}
