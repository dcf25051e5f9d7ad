import { Injectable } from '@nestjs/common';
import type { Strategy } from 'passport';
import { Settings } from '../config/settings.js';
import { AuthenticationStep, type Check, type Route } from '../http/access/access-step.js';
import { InvalidToken } from '../http/failures.js';
import type { PlatformRequest } from '../http/platform-request.js';
import { AuthFailures } from '../http/rate-limit/source-attempts.service.js';
import type { Requirement } from '../http/requires.decorator.js';
import { PlatformError } from '../kernel/errors.js';
import type { Principal } from '../kernel/principal.js';
import { ActingAgents, wantedAgent } from './acting-agent.service.js';
import { admits } from './admits.js';
import { CredentialCache } from './credential-cache.js';
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
import { authenticate } from './strategies/authenticate.js';
import { JwtStrategy } from './strategies/jwt.strategy.js';
import {
  AccessTokenStrategy,
  OrgApiKeyStrategy,
  WorkspaceApiKeyStrategy,
} from './strategies/opaque-token.strategies.js';
import { PlatformIdentities } from './strategies/platform-identities.service.js';
import { PlatformIdentityStrategy } from './strategies/platform-identity.strategy.js';

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
      jwt: jwt,
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

  /** Who sent nothing has guessed nothing, and learns from the 401 where to sign in: that is not counted. */
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
    // Here and not in the strategy: a credential that is remembered may come back at another path.
    if (principal.boundTo !== undefined && principal.boundTo !== request.path) {
      return this.refuse(unauthorized(), request);
    }
    // A page may open a WebSocket to anywhere, and reads what comes: its origin is asked for like that of a change.
    // Nor is the cookie good for reading from a page of another origin, which a browser names.
    const { origin } = request.headers;
    const harmless = isSafeMethod(request.method) && request.switching === undefined && origin === undefined;
    if (fromCookie && !harmless) this.refuseForgery(request);
    if (!admits(requirement, principal)) {
      throw new PlatformError('Forbidden', 'This kind of credential may not do this.');
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
    // What one strategy has proven says nothing of the same text sent in another place. And a key may be bound to
    // addresses, so what was proven from one says nothing about another.
    const sent = `${strategy} ${strategy === 'org-api-key' ? request.ip : ''} ${raw}`;
    const wanted = wantedAgent(request);
    // No header holds a line feed, so none can be made to look like another's entry.
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
      'A request with the cookie must come from a page of this platform; others send Authorization: Bearer.',
    );
  }
}
