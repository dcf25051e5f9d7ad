import { Injectable } from '@nestjs/common';
import { type EntityManager, type FindOptionsWhere, Raw } from 'typeorm';
import { AuditLog } from '../../audit/audit-log.js';
import { User } from '../../identity/identity.entity.js';
import { Users } from '../../identity/users.service.js';
import type { Call } from '../../kernel/call.js';
import { Clock } from '../../kernel/clock.js';
import { firstCallOf, platformCall } from '../../kernel/platform-call.js';
import { type FederatedLogin, provenEmail } from './federated-login.js';

/** What a login may write into an account. */
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

/** Writes what a login says of a person into their account, in the caller's transaction. */
@Injectable()
export class FederatedProfiles {
  constructor(
    private readonly users: Users,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
  ) {}

  /** A new account. */
  async create(manager: EntityManager, request: Request, login: FederatedLogin): Promise<User> {
    const profile = await this.profile(manager, request, login);
    const user = await this.users.create(manager, { ...profile, lastSeenAt: this.clock.now() });
    await this.record(manager, firstCallOf(user, request), 'users.created', user, profile);
    return user;
  }

  /** What is in the account stays; it is nobody's anonymous one any more. */
  async complete(manager: EntityManager, request: Request, login: FederatedLogin, user: User): Promise<User> {
    const profile = await this.profile(manager, request, login, user);
    return this.change(manager, firstCallOf(user, request), user, profile);
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
   * An address that is only claimed is taken while it is free; whoever proves it later takes it away. So nobody can
   * wait for a person in an account that was made with their address.
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
    // Before there is an account in whose name it could be done.
    await this.change(manager, { ...platformCall('job'), ...request }, holder, { email: null });
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
