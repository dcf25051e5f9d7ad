import { Injectable } from '@nestjs/common';
import { PlatformError } from '../../base/kernel/errors.js';
import { isPermission } from '../../base/kernel/permission.js';
import {
  activeMembership,
  holds,
  limitedAs,
  membershipIn,
  type Principal,
} from '../../base/kernel/principal.js';
import type { PlatformRequest } from '../../platform/http/platform-request.js';
import { Agents, Users } from '../identity/users.service.js';
import { Memberships } from '../orgs/members/memberships.service.js';
import { membershipRequired } from '../orgs/org-lock.js';
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
      emailVerified: user.emailVerified,
      slug: undefined,
      memberships,
      collectionId: undefined,
      createdBy: undefined,
      anonymous: user.anonymous,
      ...credential,
    });
  }
}

/** Header with the id of the agent for which a user acts. */
const HEADER = 'x-platform-agent-id';

/** The agent for which a request wants to act. An organization in the path has precedence over the active one. */
export interface WantedAgent {
  readonly id: string;
  readonly orgSlug: string | undefined;
}

/** The agent that the request names, if it names one. */
export function wantedAgent({ headers, params }: PlatformRequest): WantedAgent | undefined {
  const id = headers[HEADER];
  // In lower case, so that the cache has one entry for one agent.
  return typeof id === 'string'
    ? { id: id.toLowerCase(), orgSlug: params.orgSlug as string | undefined }
    : undefined;
}

/** Lets a user act for an agent of the active organization (collections contract, "Who may do what"). */
@Injectable()
export class ActingAgents {
  constructor(private readonly agents: Agents) {}

  /**
   * The agent, with the user's rights in the active organization and in no other. Throws the same 403 for an unknown
   * agent, an agent of another organization and a user without `agents:act`.
   */
  async actFor(user: Principal, { id, orgSlug }: WantedAgent): Promise<Principal> {
    const membership = orgSlug === undefined ? activeMembership(user) : membershipIn(user, orgSlug);
    if (membership === undefined) throw membershipRequired();
    const may =
      user.type === 'user' &&
      limitedAs(user, membership) === undefined &&
      holds(user, membership, 'agents:act');
    const agent = may ? await this.agents.find(membership.orgId, id) : undefined;
    if (agent === undefined) {
      throw new PlatformError(
        'Forbidden',
        `${HEADER}: expects the id of an agent of the organization, and a user with the permission agents:act.`,
      );
    }
    return Object.freeze({
      ...user,
      type: 'agent',
      id: agent.id,
      slug: agent.slug,
      email: null,
      emailVerified: false,
      anonymous: false,
      memberships: [{ ...membership, role: undefined, roleName: undefined, groups: [] }],
      createdBy: user.id,
      actingUserId: user.id,
    });
  }
}
