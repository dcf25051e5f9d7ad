import { type EntityManager, type FindOptionsWhere, Raw } from 'typeorm';
import { User } from '../../identity/user.entity.js';
import type { FederatedIdentity } from './federated-identity.entity.js';

/**
 * One login of an identity at a time, and of an e-mail address: of any number of first logins one makes the account
 * and the others find it. In statements of their own, since a statement's snapshot is older than a lock it waits for.
 */
export async function lockLogin(
  manager: EntityManager,
  { providerId, issuer, subject }: Pick<FederatedIdentity, 'providerId' | 'issuer' | 'subject'>,
  email: string | null,
): Promise<void> {
  await lock(manager, ['identity', providerId, issuer, subject]);
  if (email !== null) await lock(manager, ['email', email.toLowerCase()]);
}

/** The user, locked: neither removed nor changed by another login until the transaction ends. */
export function lockUser(manager: EntityManager, which: FindOptionsWhere<User>): Promise<User | null> {
  return manager.findOne(User, { where: which, lock: { mode: 'for_no_key_update' } });
}

/** Whoever has the e-mail address, whatever its case. */
export function ofEmail(email: string): FindOptionsWhere<User> {
  return { email: Raw(column => `lower(${column}) = lower(:email)`, { email }) };
}

async function lock(manager: EntityManager, name: readonly string[]): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [JSON.stringify(name)]);
}
