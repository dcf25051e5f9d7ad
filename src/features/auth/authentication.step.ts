import { Injectable } from '@nestjs/common';
import type { Strategy } from 'passport';
import { PlatformError } from '../../base/kernel/errors.js';
import type { Principal } from '../../base/kernel/principal.js';
import { Settings } from '../../platform/config/settings.js';
import { AuthenticationStep, type Check, type Route } from '../../platform/http/access/access-step.js';
import { InvalidToken } from '../../platform/http/failures.js';
import type { PlatformRequest } from '../../platform/http/platform-request.js';
import { AuthFailures } from '../../platform/http/rate-limit/source-attempts.service.js';
import type { Requirement } from '../../platform/http/requires.decorator.js';
import { CredentialCache } from './credential-cache.js';
import { ActingAgents, wantedAgent } from './principals.service.js';
import { isFromOurPages, isSafeMethod } from './same-origin.js';
import {
  carriesBearer,
  forwardedCredential,
  NothingSent,
  type SentCredential,
  type StrategyName,
  sentCredential,
  unauthorized,
} from './sent-credential.js';
import { PlatformIdentities } from './strategies/platform-identities.service.js';
import { PlatformIdentityStrategy } from './strategies/platform-identity.strategy.js';
import {
  AccessTokenStrategy,
  authenticate,
  JwtStrategy,
  OrgApiKeyStrategy,
  WorkspaceApiKeyStrategy,
} from './strategies/token.strategies.js';

/** Authenticates the credential of a request. */
@Injectable()
export class Authentication extends AuthenticationStep {
  private readonly strategies: Readonly<Record<StrategyName, Strategy>>;
  private readonly credentialOf: typeof sentCredential;

  constructor(
    private readonly cache: CredentialCache,
    private readonly settings: Settings,
    private readonly failures: AuthFailures,
    private readonly agents: ActingAgents,
    jwt: JwtStrategy,
    accessToken: AccessTokenStrategy,
    orgApiKey: OrgApiKeyStrategy,
    workspaceApiKey: WorkspaceApiKeyStrategy,
    platformIdentity: PlatformIdentityStrategy,
    identities: PlatformIdentities,
  ) {
    super();
    this.credentialOf = identities.areTaken ? forwardedCredential : sentCredential;
    this.strategies = {
      jwt,
      'access-token': accessToken,
      'org-api-key': orgApiKey,
      'workspace-api-key': workspaceApiKey,
      'platform-identity': platformIdentity,
    };
  }

  async again(request: PlatformRequest): Promise<Principal> {
    return this.principalOf(this.credentialOf(request), request);
  }

  checkFor({ requirement }: Route): Check | undefined {
    if ('public' in requirement) return undefined;
    return request => this.check(requirement, request);
  }

  /** Not async: with a cached credential, the request does not wait. */
  private check(requirement: Requirement, request: PlatformRequest): Promise<unknown> | undefined {
    let credential: SentCredential;
    try {
      credential = this.credentialOf(request);
    } catch (error) {
      return this.refuse(error, request);
    }
    const principal = this.principalOf(credential, request);
    if (!(principal instanceof Promise)) return this.admit(requirement, credential, principal, request);
    return principal.then(
      proven => this.admit(requirement, credential, proven, request),
      error => this.refuse(error, request),
    );
  }

  /** A request without a credential is not counted as a failed attempt: its 401 tells the client where to sign in. */
  private async refuse(error: unknown, request: PlatformRequest): Promise<never> {
    if (error instanceof NothingSent) throw error;
    const answer = await this.failures.answerTo(error, request.ip);
    throw answer instanceof PlatformError && answer.status === 401 && carriesBearer(request)
      ? new InvalidToken(answer.message)
      : answer;
  }

  private admit(
    requirement: Requirement,
    { fromCookie }: SentCredential,
    principal: Principal,
    request: PlatformRequest,
  ): Promise<never> | undefined {
    // Checked here and not in the strategy, because a cached credential may be sent to another path.
    if (principal.boundTo !== undefined && principal.boundTo !== request.path) {
      return this.refuse(unauthorized(), request);
    }
    // Pages of any origin can open a WebSocket and read its messages, so it needs the same proof of its origin as a
    // write. So does a read with an `Origin` header, which a browser sends for a page of another origin.
    const { origin } = request.headers;
    const harmless = isSafeMethod(request.method) && request.switching === undefined && origin === undefined;
    if (fromCookie && !harmless) this.refuseForgery(request);
    if (!admits(requirement, principal)) {
      throw new PlatformError('Forbidden', 'This kind of credential is not allowed here.');
    }
    request.principal = principal;
    return undefined;
  }

  private principalOf(
    { strategy, raw }: SentCredential,
    request: PlatformRequest,
  ): Principal | Promise<Principal> {
    // This strategy has its own cache entries: the text is different every few seconds, and it names the agent itself.
    if (strategy === 'platform-identity') return authenticate(this.strategies[strategy], request);
    // The key of the cache contains the strategy, because the same text may be sent as another kind of credential. It
    // contains the client address for keys that can be bound to addresses.
    const sent = `${strategy} ${strategy === 'org-api-key' ? request.ip : ''} ${raw}`;
    const wanted = wantedAgent(request);
    // Headers contain no line feeds, so nobody can make up the entry of another credential.
    const entry = wanted === undefined ? sent : [sent, wanted.id, wanted.orgSlug].join('\n');
    return (
      this.cache.get(entry) ??
      this.cache.verify(entry, async () => {
        const principal = await authenticate(this.strategies[strategy], request);
        return wanted === undefined ? principal : this.agents.actFor(principal, wanted);
      })
    );
  }

  private refuseForgery(request: PlatformRequest): void {
    if (isFromOurPages(request.headers, this.settings)) return;
    throw new PlatformError(
      'CsrfRefused',
      'A request with the cookie must come from a page of this platform. Other clients send Authorization: Bearer.',
    );
  }
}

/**
 * True when a route accepts the caller's kind of credential. Permissions and memberships are checked later. A third-party
 * client may call only `/v1` and `/v2/me` (contract, "Sessions and JWTs").
 */
export function admits(requirement: Requirement, principal: Principal): boolean {
  if ('forwarded' in requirement) {
    // The runtime checks credentials itself. A key of one collection has no access to other upstreams.
    return (
      requirement.forwarded === 'runtime' || (principal.firstParty && principal.collectionId === undefined)
    );
  }
  if ('caller' in requirement) return admitsCaller(requirement.caller, principal);
  return principal.firstParty || 'product' in requirement || 'collection' in requirement;
}

/** A person who acts for an agent cannot manage personal things such as sessions and tokens. */
function admitsCaller(
  wanted: 'any' | 'person' | 'session',
  { credential, firstParty, actingUserId }: Principal,
): boolean {
  const person = firstParty && actingUserId === undefined;
  switch (wanted) {
    case 'any':
      return true;
    case 'person':
      return person && (credential === 'jwt' || credential === 'access-token');
    case 'session':
      return person && credential === 'jwt';
  }
}
