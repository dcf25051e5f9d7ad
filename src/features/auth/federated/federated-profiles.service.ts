import { Injectable } from '@nestjs/common';
import { type EntityManager, type FindOptionsWhere, IsNull, Raw } from 'typeorm';
import { type Call, callOfPlatform, callOfUser } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { sql } from '../../../base/sql/index.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { LOCK_NAMES, namedLock } from '../../../platform/database/advisory-locks.js';
import { execute } from '../../../platform/database/queryable.js';
import { User } from '../../identity/identity.entity.js';
import { Users } from '../../identity/users.service.js';
import { Org } from '../../orgs/org.entity.js';
import type { Provider } from '../../orgs/sso/sso-provider.entity.js';
import { type FederatedLogin, provenEmail } from './federated-login.js';

/** The fields of an account that a login may change. */
type Profile = Pick<User, 'email' | 'emailVerified' | 'firstName' | 'lastName' | 'anonymous'>;
type Address = Pick<Profile, 'email' | 'emailVerified'>;
type Request = Omit<Call, 'principal'>;

const NOBODY: Profile = {
  email: null,
  emailVerified: false,
  firstName: null,
  lastName: null,
  anonymous: false,
};

/** Writes the profile of a login into the account, in the caller's transaction. */
@Injectable()
export class FederatedProfiles {
  constructor(
    private readonly users: Users,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
  ) {}

  /** Creates an account. */
  async create(manager: EntityManager, request: Request, login: FederatedLogin): Promise<User> {
    const profile = await this.profile(manager, request, login);
    const homeOrgId = await homeOf(manager, login.provider);
    const user = await this.users.create(manager, { ...profile, homeOrgId, lastSeenAt: this.clock.now() });
    await this.record(manager, callOfUser(user, request), 'users.created', user, profile);
    return user;
  }

  /** Fills empty fields of the account. An anonymous account becomes a named one. */
  async complete(manager: EntityManager, request: Request, login: FederatedLogin, user: User): Promise<User> {
    if (user.anonymous)
      await manager.update(User, user.id, { homeOrgId: await homeOf(manager, login.provider) });
    const profile = await this.profile(manager, request, login, user);
    return this.change(manager, callOfUser(user, request), user, profile);
  }

  /**
   * Gives an address that was proven to an anonymous account, which becomes a named one, or to a new account. The account
   * that only carries the address loses it. The caller holds the lock of the address.
   */
  async prove(manager: EntityManager, request: Request, email: string, user: User | null): Promise<User> {
    const holder = await lockUser(manager, ofEmail(email));
    if (holder !== null) await this.change(manager, callOfPlatform(request), holder, { email: null });
    const proven = { email, emailVerified: true, anonymous: false };
    if (user !== null) return this.change(manager, callOfUser(user, request), user, proven);
    const created = await this.users.create(manager, { ...proven, lastSeenAt: this.clock.now() });
    await this.record(manager, callOfUser(created, request), 'users.created', created, proven);
    return created;
  }

  private async profile(
    manager: EntityManager,
    request: Request,
    login: FederatedLogin,
    user?: User,
  ): Promise<Profile> {
    const present = user ?? NOBODY;
    const { firstName, lastName } = login.person;
    return {
      ...(await this.address(manager, request, login, user)),
      firstName: present.firstName ?? firstName,
      lastName: present.lastName ?? lastName,
      anonymous: false,
    };
  }

  /**
   * An unproven address is used if no account has it. A login that proves it later takes it away, so that nobody can
   * reserve an account with another person's address.
   */
  private async address(
    manager: EntityManager,
    request: Request,
    login: FederatedLogin,
    user: User | undefined,
  ): Promise<Address> {
    const { email: present, emailVerified } = user ?? NOBODY;
    const { email } = login.person;
    const kept = { email: present, emailVerified };
    if (email === null || emailVerified || (present !== null && !isSame(present, email))) return kept;
    const proven = provenEmail(login) !== null;
    await lockEmail(manager, email);
    const holder = await lockUser(manager, ofEmail(email));
    if (holder === null || holder.id === user?.id) return { email, emailVerified: proven };
    if (!proven || holder.emailVerified) return kept;
    // The event is the platform's, because the account of the login may not exist yet.
    await this.change(manager, callOfPlatform(request), holder, { email: null });
    return { email, emailVerified: true };
  }

  private async change(
    manager: EntityManager,
    call: Call,
    user: User,
    profile: Partial<Profile>,
  ): Promise<User> {
    const names = (Object.keys(profile) as (keyof Profile)[]).filter(name => profile[name] !== user[name]);
    if (names.length === 0) return user;
    const after = Object.fromEntries(names.map(name => [name, profile[name]]));
    const before = Object.fromEntries(names.map(name => [name, user[name]]));
    await manager.update(User, user.id, { ...after, updatedAt: this.clock.now() });
    await this.record(manager, call, 'users.updated', user, after, before);
    return Object.assign(user, after);
  }

  private record(
    manager: EntityManager,
    call: Call,
    type: string,
    { id }: User,
    after: object,
    before?: object,
  ): Promise<void> {
    const changes = { ...(before && { before }), after };
    return this.audit.record(manager, call, undefined, { type, target: { type: 'user', id }, changes });
  }
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/**
 * Serializes logins with the same e-mail address. The lock has a statement of its own, because a statement that waits for
 * a lock still sees the snapshot from before.
 */
export async function lockEmail(manager: EntityManager, email: string): Promise<void> {
  await execute(manager, sql`SELECT pg_advisory_xact_lock(${namedLock(LOCK_NAMES.email(email))})`);
}

/** Locks and returns the user. Until the transaction ends, no other login can change or remove it. */
export function lockUser(manager: EntityManager, which: FindOptionsWhere<User>): Promise<User | null> {
  return manager.findOne(User, { where: which, lock: { mode: 'for_no_key_update' } });
}

/** Matches the e-mail address without regard to case. */
export function ofEmail(email: string): FindOptionsWhere<User> {
  return { email: Raw(column => `lower(${column}) = lower(:email)`, { email }) };
}

/** The organization that answers for the accounts of a provider: its own, or the one that the operator has given it. */
async function homeOf(manager: EntityManager, { orgId, orgSlug }: Provider): Promise<string | null> {
  if (orgId !== undefined || orgSlug === undefined) return orgId ?? null;
  const org = await manager.findOneBy(Org, { slug: orgSlug, deletedAt: IsNull() });
  return org?.id ?? null;
}
