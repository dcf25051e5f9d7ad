import type { EntityManager } from 'typeorm';
import { invalid } from '../../kernel/errors.js';
import type { OrgApiKey } from './org-api-key.entity.js';

const OWNER_IN_ORG = {
  user: `SELECT 1 FROM org_memberships m JOIN users u ON u.id = m.user_id AND u.status = 'active'
    WHERE m.org_id = $1 AND m.user_id = $2`,
  agent: 'SELECT 1 FROM agents WHERE org_id = $1 AND id = $2',
};

/** 400 unless the owner, if there is one, is a member or an agent of the organization. */
export async function assertOwnerExists(
  manager: EntityManager,
  orgId: string,
  { ownerType, ownerId }: Partial<Pick<OrgApiKey, 'ownerType' | 'ownerId'>>,
): Promise<void> {
  if (!ownerType && !ownerId) return;
  if (!ownerType || !ownerId) throw invalid('ownerType and ownerId go together: send both or neither.');
  const found = await manager.query(OWNER_IN_ORG[ownerType], [orgId, ownerId]);
  if (found.length === 0) throw invalid(`ownerId: there is no such ${ownerType} in the organization.`);
}
