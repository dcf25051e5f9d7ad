import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull } from 'typeorm';
import { AuditLog } from '../../audit/audit-log.js';
import { User } from '../../identity/identity.entity.js';
import type { Call } from '../../kernel/call.js';
import { PlatformError } from '../../kernel/errors.js';
import { newId } from '../../kernel/id.js';
import { firstCallOf } from '../../kernel/platform-call.js';
import type { Provider } from '../../orgs/sso/provider.js';
import { Session } from '../sessions/session.entity.js';
import { Sessions } from '../sessions/sessions.service.js';
import { FederatedIdentity } from './federated.entity.js';
import { type FederatedLogin, provenEmail } from './federated-login.js';
import { FederatedProfiles, lockEmail, lockUser, ofEmail } from './federated-profiles.service.js';

type Request = Omit<Call, 'principal'>;
type Identity = Pick<FederatedIdentity, 'providerId' | 'issuer' | 'subject'>;

/**
 * Whose word an identity is. Whoever may change an organization's provider must not become its people by naming other
 * keys than the issuer's: those start with no identities, as another issuer does.
 */
function vouching({ id, origin, config }: Provider): string {
  return origin === 'org' && config.jwks_uri !== undefined ? `${id} ${config.jwks_uri}` : id;
}

/** The accounts behind federated identities. Everything happens in the caller's transaction. */
@Injectable()
export class FederatedAccounts {
  constructor(
    private readonly profiles: FederatedProfiles,
    private readonly sessions: Sessions,
    private readonly audit: AuditLog,
  ) {}

  /** The account of the login's identity; a new identity is linked to one that is there, or gets one of its own. */
  async of(manager: EntityManager, request: Request, login: FederatedLogin): Promise<User> {
    const { provider, person } = login;
    const identity = { providerId: vouching(provider), issuer: person.issuer, subject: person.subject };
    const owner = await this.ownerOf(manager, identity);
    const user = owner ?? (await this.linkable(manager, login));
    if (user?.status === 'disabled') throw new PlatformError('Forbidden', 'This account is disabled.');
    const account =
      user === null
        ? await this.profiles.create(manager, request, login)
        : await this.complete(manager, request, login, user);
    if (owner === null) await this.link(manager, firstCallOf(account, request), login, identity);
    return account;
  }

  /**
   * The account that has the identity. When none has, the identity is taken for one that the caller finds or makes:
   * whoever else comes with it waits for this transaction to end, and finds the account then.
   */
  private async ownerOf(manager: EntityManager, identity: Identity): Promise<User | null> {
    const known = () => manager.findOneBy(FederatedIdentity, identity);
    const { providerId, issuer, subject } = identity;
    let found = await known();
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
   * The account that a new identity is linked to: that of the session that started the login, else that of the proven
   * e-mail address. An anonymous account only when they have no other.
   */
  private async linkable(manager: EntityManager, login: FederatedLogin): Promise<User | null> {
    const starter = await this.starterOf(manager, login);
    if (starter?.anonymous === false) return starter;
    const email = provenEmail(login);
    if (email === null) return starter;
    await lockEmail(manager, email);
    // An address that its account has not proven may have been put there to wait for this login.
    return (await lockUser(manager, { ...ofEmail(email), emailVerified: true })) ?? starter;
  }

  /** An application can ask whoever it likes to sign in anew, in a browser that is signed in to whichever account. */
  private async starterOf(
    manager: EntityManager,
    { startedIn, forApplication }: FederatedLogin,
  ): Promise<User | null> {
    if (startedIn === undefined) return null;
    const starter = await lockUser(manager, { id: startedIn.userId });
    // Somebody else may have become the anonymous user while this login waited: then its sessions have ended.
    const alive = await manager.existsBy(Session, { id: startedIn.id, revokedAt: IsNull() });
    return !alive || (starter?.anonymous === false && forApplication) ? null : starter;
  }

  /** Sessions of an anonymous account end when it gets a name: whoever planted one would be somebody by it. */
  private async complete(
    manager: EntityManager,
    request: Request,
    login: FederatedLogin,
    user: User,
  ): Promise<User> {
    if (user.anonymous) await this.sessions.revokeAll(manager, firstCallOf(user, request), user.id);
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
