import type { EntityManager } from 'typeorm';
import { membershipRequired } from './membership-required.js';
import { Org } from './org.entity.js';

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
