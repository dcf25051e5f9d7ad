import type { EntityManager } from 'typeorm';
import { PlatformError } from '../../base/kernel/errors.js';
import { Org } from './org.entity.js';

/** The same 403 for an organization that the caller is not in, for one that does not exist, and for no organization. */
export function membershipRequired(): PlatformError {
  return new PlatformError(
    'OrganizationMembershipRequired',
    'This needs membership in the organization. Join it, or use a credential of one of its members.',
  );
}

/**
 * How a transaction locks an organization's row (PostgreSQL manual, 13.3.2):
 * - `keep`: the organization is not deleted before the transaction ends. For creating something in it.
 * - `change`: changes of members, roles and groups also run one after another.
 * - `delete`: waits for all of the above; later transactions find the organization deleted.
 */
const LOCKS = { keep: 'for_key_share', change: 'for_no_key_update', delete: 'pessimistic_write' } as const;

/** Locks the organization and returns it. 403 `OrganizationMembershipRequired` when it is deleted. */
export async function lockOrg(manager: EntityManager, orgId: string, to: keyof typeof LOCKS): Promise<Org> {
  const org = await manager
    .createQueryBuilder(Org, 'org')
    .where('org.id = :orgId AND org.deletedAt IS NULL', { orgId })
    .setLock(LOCKS[to])
    .getOne();
  if (org === null) throw membershipRequired();
  return org;
}
