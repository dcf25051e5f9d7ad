import type { EntityManager } from 'typeorm';
import { PlatformError } from '../kernel/errors.js';
import { Org } from './org.entity.js';

/** One and the same answer for an organization one is no member of, one that does not exist, and none at all. */
export function membershipRequired(): PlatformError {
  return new PlatformError(
    'OrganizationMembershipRequired',
    'This needs membership in the organization: join one, or use a credential of one of its members.',
  );
}

/**
 * How an organization's row is locked for a transaction (PostgreSQL manual, 13.3.2):
 * - `keep`: it will not be deleted meanwhile; for whatever is created in it.
 * - `change`: also, changes of who may do what in it come one after another.
 * - `delete`: everything above has ended, and what comes later finds it deleted.
 */
const LOCKS = { keep: 'for_key_share', change: 'for_no_key_update', delete: 'pessimistic_write' } as const;

/** The organization, locked; 403 `OrganizationMembershipRequired` when it has just been deleted. */
export async function lockOrg(manager: EntityManager, orgId: string, to: keyof typeof LOCKS): Promise<Org> {
  const org = await manager
    .createQueryBuilder(Org, 'org')
    .where('org.id = :orgId AND org.deletedAt IS NULL', { orgId })
    .setLock(LOCKS[to])
    .getOne();
  if (org === null) throw membershipRequired();
  return org;
}
