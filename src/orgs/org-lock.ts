import type { EntityManager } from 'typeorm';
import { membershipRequired } from './membership-required.js';
import { Org } from './org.entity.js';

/**
 * Locks the organization's row, so that changes of who may do what come one after another. `deleting` waits for
 * everything that points at the row as well, for example a collection that is being created.
 */
export async function lockOrg(manager: EntityManager, orgId: string, deleting = false): Promise<Org> {
  const org = await manager
    .createQueryBuilder(Org, 'org')
    .where('org.id = :orgId AND org.deletedAt IS NULL', { orgId })
    .setLock(deleting ? 'pessimistic_write' : 'for_no_key_update')
    .getOne();
  if (org === null) throw membershipRequired();
  return org;
}
