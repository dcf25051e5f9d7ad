import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import type { Principal } from '../../kernel/principal.js';
import { OrgApiKeys } from '../../orgs/api-keys/org-api-keys.service.js';
import { subjectOf } from '../../orgs/service-accounts/live-service-account.js';
import { WorkspaceApiKeys } from '../../workspaces/api-keys/workspace-api-keys.service.js';
import { AccessTokens } from '../access-tokens/access-tokens.service.js';
import { ActingAgents } from '../acting-agent.service.js';
import { People } from '../people.service.js';
import { ServiceAccountTokens } from '../service-accounts/service-account-tokens.service.js';
import { FIRST_PARTY_CLIENT, FIRST_PARTY_SCOPE, TOLERANCE_SECONDS } from '../sessions/jwt.js';
import { Sessions } from '../sessions/sessions.service.js';
import type { IdentityClaims } from './identity-jwt.js';

/** Whom an identity is about, read anew: who has lost a session, a key or a right meanwhile does not have it here either. */
@Injectable()
export class IdentifiedCallers {
  constructor(
    private readonly sessions: Sessions,
    private readonly people: People,
    private readonly tokens: AccessTokens,
    private readonly serviceAccounts: ServiceAccountTokens,
    private readonly orgKeys: OrgApiKeys,
    private readonly workspaceKeys: WorkspaceApiKeys,
    private readonly agents: ActingAgents,
    private readonly clock: Clock,
  ) {}

  /** The caller as when it had shown its credential here; undefined when that counts no longer. */
  async find(identity: IdentityClaims, ip: string | undefined): Promise<Principal | undefined> {
    const { credentialExp, act, sub } = identity;
    if (credentialExp !== undefined && credentialExp + TOLERANCE_SECONDS <= this.clock.seconds()) {
      return undefined;
    }
    const holder = await this.holderOf(identity, ip);
    if (holder === undefined || holder.id !== (act?.sub ?? sub)) return undefined;
    return act === undefined ? holder : this.agents.actFor(holder, { id: sub, orgSlug: undefined });
  }

  private async holderOf(identity: IdentityClaims, ip: string | undefined): Promise<Principal | undefined> {
    const { credential, credentialId } = identity;
    switch (credential) {
      case 'jwt':
        return this.ofSession(identity);
      case 'service-account':
        return this.ofServiceAccount(identity);
      case 'access-token': {
        const token = await this.tokens.findAlive(credentialId);
        return token && this.people.ofAccessToken(token);
      }
      case 'org-api-key':
        return this.orgKeys.identify(credentialId, ip);
      case 'workspace-api-key':
        return this.workspaceKeys.identify(credentialId);
    }
  }

  private async ofSession(identity: IdentityClaims): Promise<Principal | undefined> {
    const { credentialId, credentialExp = 0, firstParty, narrowedTo = [], boundTo } = identity;
    const session = await this.sessions.findAlive(credentialId);
    if (session === null) return undefined;
    // The scope of its JWT, as far as it means anything here.
    const scope = firstParty ? FIRST_PARTY_SCOPE : narrowedTo.join(' ');
    const principal = await this.people.ofSession(session, credentialExp, scope);
    return principal && (boundTo === undefined ? principal : Object.freeze({ ...principal, boundTo }));
  }

  private ofServiceAccount({ credentialId, credentialExp = 0, org = '', slug = '' }: IdentityClaims) {
    return this.serviceAccounts.principalOf({
      platformSessionId: credentialId,
      client_id: FIRST_PARTY_CLIENT,
      sub: subjectOf({ org_slug: org, slug }),
      exp: credentialExp,
    });
  }
}
