import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import CustomStrategy from 'passport-custom';
import { Clock } from '../../../base/kernel/clock.js';
import type { Principal } from '../../../base/kernel/principal.js';
import { IDENTITY_HEADER } from '../../../platform/http/identity-source.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { OrgApiKeys } from '../../orgs/api-keys/org-api-keys.service.js';
import { subjectOf } from '../../orgs/service-accounts/service-account.entity.js';
import { WorkspaceApiKeys } from '../../workspaces/api-keys/workspace-api-keys.service.js';
import { AccessTokens } from '../access-tokens/access-tokens.service.js';
import { CredentialCache } from '../credential-cache.js';
import { ActingAgents, People } from '../principals.service.js';
import { unauthorized } from '../sent-credential.js';
import { ServiceAccountTokens } from '../service-accounts/service-account-tokens.service.js';
import { FIRST_PARTY_CLIENT, FIRST_PARTY_SCOPE, TOLERANCE_SECONDS } from '../sessions/jwt.js';
import { Sessions } from '../sessions/sessions.service.js';
import { type IdentityClaims, PlatformIdentities } from './platform-identities.service.js';

/** Reads the caller that an identity names from the database, so that an ended session or a withdrawn right counts here too. */
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

  /** The same principal that the caller's own credential would yield; undefined when that credential is no longer valid. */
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
    // The part of its JWT's scope that has a meaning here.
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

/**
 * Identity that the gateway has signed. Only a runtime behind a gateway accepts one.
 *
 * - Read from: `x-platform-identity`.
 * - Proven by: its signature, and the credential that it names, which must still be valid.
 * - Yields: the caller of the gateway, as the database describes it now.
 */
@Injectable()
export class PlatformIdentityStrategy extends PassportStrategy(CustomStrategy, 'platform-identity') {
  /**
   * Verified identities. An identity expires after a minute, but a request may last longer. When such a request is
   * checked again, only the credential behind the identity is checked.
   */
  private readonly proven = new WeakMap<PlatformRequest, IdentityClaims>();

  constructor(
    private readonly identities: PlatformIdentities,
    private readonly callers: IdentifiedCallers,
    private readonly cache: CredentialCache,
  ) {
    super();
  }

  async validate(request: PlatformRequest): Promise<Principal> {
    const identity = this.proven.get(request) ?? (await this.prove(request));
    const { iat: _, exp: __, ...lasting } = identity;
    const entry = `platform-identity ${request.ip} ${JSON.stringify(lasting)}`;
    return (
      this.cache.get(entry) ??
      this.cache.verify(entry, async () => {
        const principal = await this.callers.find(identity, request.ip);
        if (principal === undefined) throw unauthorized();
        return principal;
      })
    );
  }

  private async prove(request: PlatformRequest): Promise<IdentityClaims> {
    const identity = await this.identities.verify(String(request.headers[IDENTITY_HEADER])).catch(() => {
      throw unauthorized();
    });
    this.proven.set(request, identity);
    return identity;
  }
}
