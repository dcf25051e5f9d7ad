import { Injectable } from '@nestjs/common';
import { Users } from '../identity/users.service.js';
import { isPermission } from '../kernel/permission.js';
import type { Principal } from '../kernel/principal.js';
import { Memberships } from '../orgs/members/memberships.service.js';
import type { AccessToken } from './access-tokens/access-token.entity.js';
import { OwnClients } from './oidc/clients.service.js';
import { PLATFORM_SCOPE } from './sessions/jwt.js';
import type { PersonSession } from './sessions/session.entity.js';

/** The fields of a principal that depend on the credential of a person. */
type PersonCredential = Pick<
  Principal,
  'credential' | 'credentialId' | 'activeOrgSlug' | 'sessionId' | 'expiresAt' | 'narrowedTo' | 'firstParty'
>;

/** Makes the principal of a person from the user and a verified credential. */
@Injectable()
export class People {
  constructor(
    private readonly users: Users,
    private readonly memberships: Memberships,
    private readonly ownClients: OwnClients,
  ) {}

  /** The person of a session that has not ended. `expiresAt` (Unix seconds) and `scope` come from the credential. */
  ofSession(session: PersonSession, expiresAt: number, scope: string): Promise<Principal | undefined> {
    const firstParty = this.ownClients.has(session.clientId) && scope.split(' ').includes(PLATFORM_SCOPE);
    return this.principal(session.userId, {
      credential: 'jwt',
      credentialId: session.id,
      activeOrgSlug: session.activeOrgSlug ?? undefined,
      sessionId: session.id,
      expiresAt,
      // Scopes of the form product:action limit what another client may do. Scopes such as openid grant no permission.
      narrowedTo: firstParty ? undefined : scope.split(' ').filter(isPermission),
      firstParty,
    });
  }

  /** The person of an access token. */
  ofAccessToken(token: AccessToken): Promise<Principal | undefined> {
    return this.principal(token.userId, {
      credential: 'access-token',
      credentialId: token.id,
      activeOrgSlug: token.activeOrgSlug ?? undefined,
      sessionId: undefined,
      expiresAt: Math.floor(token.expiresAt.getTime() / 1000),
      narrowedTo: undefined,
      firstParty: true,
    });
  }

  /** Undefined when the user is deleted or disabled. */
  private async principal(userId: string, credential: PersonCredential): Promise<Principal | undefined> {
    const [user, memberships] = await Promise.all([this.users.find(userId), this.memberships.of(userId)]);
    if (user?.status !== 'active') return undefined;
    return Object.freeze({
      type: 'user',
      id: user.id,
      email: user.email,
      slug: undefined,
      memberships,
      collectionId: undefined,
      createdBy: undefined,
      anonymous: user.anonymous,
      ...credential,
    });
  }
}
