import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull } from 'typeorm';
import { type Call, callOfUser } from '../../../base/kernel/call.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { newId } from '../../../base/kernel/id.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { User } from '../../identity/identity.entity.js';
import { formerIdentitySource, identitySource } from '../../orgs/sso/sso-provider.entity.js';
import { Session } from '../sessions/session.entity.js';
import { Sessions } from '../sessions/sessions.service.js';
import { FederatedIdentity } from './federated.entity.js';
import { type FederatedLogin, provenEmail } from './federated-login.js';
import { FederatedProfiles, lockEmail, lockUser, ofEmail } from './federated-profiles.service.js';

type Request = Omit<Call, 'principal'>;
type Identity = Pick<FederatedIdentity, 'providerId' | 'issuer' | 'subject'>;

/** Finds or creates the accounts of federated identities. All methods work in the caller's transaction. */
@Injectable()
export class FederatedAccounts {
  constructor(
    private readonly profiles: FederatedProfiles,
    private readonly sessions: Sessions,
    private readonly audit: AuditLog,
  ) {}

  /** The account of the login's identity. A new identity is linked to an existing account or gets a new one. */
  async of(manager: EntityManager, request: Request, login: FederatedLogin): Promise<User> {
    const { provider, person } = login;
    const identity = {
      providerId: identitySource(provider),
      issuer: person.issuer,
      subject: person.subject,
    };
    const owner = await this.ownerOf(manager, identity, formerIdentitySource(provider));
    const user = owner ?? (await this.linkable(manager, login));
    if (user?.status === 'disabled')
      throw new PlatformError(
        'Forbidden',
        'This account is disabled. Ask an administrator of the platform to enable it.',
      );
    const account =
      user === null
        ? await this.profiles.create(manager, request, login)
        : await this.complete(manager, request, login, user);
    if (owner === null) await this.link(manager, callOfUser(account, request), login, identity);
    return account;
  }

  /**
   * The account that has the identity. When there is none, inserts the identity, so that a concurrent login with the same
   * identity waits until this transaction ends and then finds the account.
   */
  private async ownerOf(manager: EntityManager, identity: Identity, former: string): Promise<User | null> {
    const known = () => manager.findOneBy(FederatedIdentity, identity);
    const { providerId, issuer, subject } = identity;
    let found = await known();
    if (found === null && former !== providerId) {
      await manager.update(FederatedIdentity, { issuer, subject, providerId: former }, { providerId });
      found = await known();
    }
    if (found === null) {
      const taken = await manager.query(
        `INSERT INTO federated_identities (provider_id, issuer, subject, user_id) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING RETURNING user_id`,
        [providerId, issuer, subject, newId()],
      );
      if (taken.length > 0) return null;
      found = await known();
    }
    return manager.findOneByOrFail(User, { id: found?.userId });
  }

  /**
   * The account to which a new identity is linked: that of the session in which the login started, or else that of the
   * proven e-mail address. An anonymous account is used only if there is no other.
   */
  private async linkable(manager: EntityManager, login: FederatedLogin): Promise<User | null> {
    const starter = await this.starterOf(manager, login);
    if (starter?.anonymous === false) return starter;
    const email = provenEmail(login);
    if (email === null) return starter;
    await lockEmail(manager, email);
    // An account with an unproven address does not count: somebody may have entered the address to catch this login.
    return (await lockUser(manager, { ...ofEmail(email), emailVerified: true })) ?? starter;
  }

  /**
   * The account of the session in which the login started. It does not count when an application asked for the login,
   * unless it is anonymous: applications can ask for a sign-in in any browser.
   */
  private async starterOf(
    manager: EntityManager,
    { startedIn, forApplication }: FederatedLogin,
  ): Promise<User | null> {
    if (startedIn === undefined) return null;
    const starter = await lockUser(manager, { id: startedIn.userId });
    // The session may have ended while this login waited, because a concurrent login has completed the anonymous account.
    const alive = await manager.existsBy(Session, { id: startedIn.id, revokedAt: IsNull() });
    return !alive || (starter?.anonymous === false && forApplication) ? null : starter;
  }

  /** The sessions of an anonymous account end when it becomes a named one: somebody else may have created the session. */
  private async complete(
    manager: EntityManager,
    request: Request,
    login: FederatedLogin,
    user: User,
  ): Promise<User> {
    if (user.anonymous) await this.sessions.revokeAll(manager, callOfUser(user, request), user.id);
    return this.profiles.complete(manager, request, login, user);
  }

  private async link(
    manager: EntityManager,
    call: Call,
    { provider }: FederatedLogin,
    identity: Identity,
  ): Promise<void> {
    const { id: userId } = call.principal;
    const { issuer, subject } = identity;
    await manager.update(FederatedIdentity, identity, { userId });
    await this.audit.record(manager, call, undefined, {
      type: 'identities.linked',
      target: { type: 'user', id: userId },
      changes: { after: { provider: provider.slug, issuer, subject } },
    });
  }
}
