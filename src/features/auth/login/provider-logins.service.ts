import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { Settings } from '../../../platform/config/settings.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { Providers } from '../../orgs/sso/providers.service.js';
import { callbackPath, type Provider } from '../../orgs/sso/sso-provider.entity.js';
import { personOf } from '../federated/federated-login.js';
import { FederatedLogins } from '../federated/federated-logins.service.js';
import type { IdTokenClaims } from '../providers/id-tokens.service.js';
import { isLedHereByOurPages } from '../same-origin.js';
import { sentCredential } from '../sent-credential.js';
import { FIRST_PARTY_CLIENT, issuerOf, type SessionClaims } from '../sessions/jwt.js';
import type { PersonSession } from '../sessions/session.entity.js';
import { SessionJwts } from '../sessions/session-jwts.service.js';
import { Sessions } from '../sessions/sessions.service.js';
import { allowedRedirect } from '../web-session/redirect-target.js';
import type { WebSession } from '../web-session/web-session-tickets.service.js';
import type { StartLoginQuery } from './login.dto.js';
import { type PendingLogin, PendingLogins, RelyingParty } from './relying-party.service.js';

/** The default redirect target. */
const HOME = '/docs';

/** Signs browsers in through an identity provider (spec rule 1). */
@Injectable()
export class ProviderLogins {
  constructor(
    private readonly providers: Providers,
    private readonly relyingParty: RelyingParty,
    private readonly pending: PendingLogins,
    private readonly logins: FederatedLogins,
    private readonly sessions: Sessions,
    private readonly jwts: SessionJwts,
    private readonly settings: Settings,
  ) {}

  /** Starts a login. Returns the URL at the provider. Throws 400 when the redirect target is not on this platform. */
  async begin(
    request: PlatformRequest,
    response: Response,
    { provider: slug, redirect = HOME }: StartLoginQuery,
  ): Promise<string> {
    const target = allowedRedirect(redirect, this.settings);
    const provider = await this.providers.find(slug);
    if (provider === undefined)
      throw new PlatformError('NotFound', 'There is no identity provider with this slug, or it is disabled.');
    const login: PendingLogin = {
      providerId: provider.id,
      providerSlug: provider.slug,
      redirect: target,
      state: secret(),
      nonce: secret(),
      codeVerifier: secret(),
      sessionId: (await this.startedIn(request))?.id,
    };
    const url = await this.relyingParty.signInUrl(provider, login);
    this.pending.keep(response, login, callbackPath(provider));
    return url;
  }

  /** The login that this browser started and whose callback this is; undefined if there is none. It can be taken once. */
  begun(request: PlatformRequest, response: Response): PendingLogin | undefined {
    const { pathname: path, searchParams } = this.urlOf(request);
    return this.pending.take(request.headers, response, { state: searchParams.get('state') ?? '', path });
  }

  /** Completes a login that this browser started. Throws 400 for a callback that does not belong to it. */
  async complete(request: PlatformRequest, login: PendingLogin | undefined): Promise<WebSession> {
    const { pathname, searchParams } = this.urlOf(request);
    const provider = login && (await this.providers.find(login.providerSlug));
    if (login === undefined || provider?.id !== login.providerId) throw notBegun();
    // The code was issued for another redirect URI, so by another provider or for another client.
    if (pathname !== callbackPath(provider)) throw notBegun();
    const claims = await this.relyingParty.signedIn(provider, searchParams, login);
    const session = await this.logIn(request, provider, claims, login);
    return { ...(await this.jwts.mint(session)), target: allowedRedirect(login.redirect, this.settings) };
  }

  private urlOf({ originalUrl }: PlatformRequest): URL {
    return new URL(originalUrl, this.settings.PUBLIC_URL);
  }

  private async logIn(
    { correlationId, ip, headers }: PlatformRequest,
    provider: Provider,
    claims: IdTokenClaims,
    { sessionId, redirect }: PendingLogin,
  ): Promise<PersonSession> {
    const startedIn = sessionId === undefined ? null : await this.sessions.findAlive(sessionId);
    const login = {
      provider,
      person: personOf(provider, claims),
      userAgent: headers['user-agent'],
      startedIn: startedIn ?? undefined,
      forApplication: redirect.startsWith(`${issuerOf(this.settings)}/`),
    };
    return this.logins.logIn({ via: 'rest', correlationId, ip }, login);
  }

  /** The session in which a login starts. Signing in needs no credential, so an invalid one counts as none. */
  private async startedIn(request: PlatformRequest): Promise<PersonSession | undefined> {
    if (!isLedHereByOurPages(request.headers, this.settings)) return undefined;
    const claims = await this.claimsOf(request).catch(() => undefined);
    if (claims?.client_id !== FIRST_PARTY_CLIENT) return undefined;
    const session = await this.sessions.findAlive(claims.platformSessionId);
    return session?.userId === claims.sub ? session : undefined;
  }

  private async claimsOf(request: PlatformRequest): Promise<SessionClaims | undefined> {
    const { strategy, raw } = sentCredential(request);
    return strategy === 'jwt' ? this.jwts.verify(raw) : undefined;
  }
}

function notBegun(): PlatformError {
  return invalid('This browser did not start this login, or started it too long ago. Sign in again.');
}

/** 256 bits in base64url, which is also a valid code verifier (RFC 7636, 4.1). */
function secret(): string {
  return randomBytes(32).toString('base64url');
}
