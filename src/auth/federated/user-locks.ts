import { type EntityManager, type FindOptionsWhere, Raw } from 'typeorm';
import { User } from '../../identity/user.entity.js';

/**
 * One login at a time looks who has the e-mail address. In a statement of its own, since a statement's snapshot is
 * older than a lock it waits for.
 */
export async function lockEmail(manager: EntityManager, email: string): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `email ${email.toLowerCase()}`,
  ]);
}

/** The user, locked: neither removed nor changed by another login until the transaction ends. */
export function lockUser(manager: EntityManager, which: FindOptionsWhere<User>): Promise<User | null> {
  return manager.findOne(User, { where: which, lock: { mode: 'for_no_key_update' } });
}

/** Whoever has the e-mail address, whatever its case. */
export function ofEmail(email: string): FindOptionsWhere<User> {
  return { email: Raw(column => `lower(${column}) = lower(:email)`, { email }) };
}
