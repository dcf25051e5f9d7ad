import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { KoaContextWithOIDC, default as Provider } from 'oidc-provider';
import type { Principal } from '../../../base/kernel/principal.js';
import { Settings } from '../../../platform/config/settings.js';
import { clearAccessTokenCookie, type SentCredential, sentCredential } from '../sent-credential.js';
import { Sessions } from '../sessions/sessions.service.js';
import { JwtStrategy } from '../strategies/token.strategies.js';
import { callBy } from './provider-requests.js';

/** The person who is signed in to the platform in a browser. */
export interface SignedIn {
  readonly principal: Principal;
  /** When they signed in. */
  readonly since: Date;
}

/**
 * The platform's sign-in of a browser, which is its cookie. oidc-provider has a session of its own in the browser; this
 * service keeps the two consistent.
 */
@Injectable()
export class BrowserSessions {
  constructor(
    private readonly strategy: JwtStrategy,
    private readonly sessions: Sessions,
    private readonly settings: Settings,
  ) {}

  /** The named person of the cookie. Undefined for anonymous users, who may not authorize clients. */
  async signedIn(request: IncomingMessage): Promise<SignedIn | undefined> {
    const sent = cookieOf(request);
    const principal = sent && (await this.strategy.principalOf(sent.raw));
    if (principal?.type !== 'user' || !principal.firstParty || principal.anonymous) return undefined;
    // A JWT that is valid for one resource only must not be exchanged for one that is valid everywhere.
    if (principal.boundTo !== undefined) return undefined;
    const session = await this.sessions.findAlive(principal.sessionId as string);
    return session === null ? undefined : { principal, since: session.createdAt };
  }

  /** Middleware around every request to oidc-provider. */
  async around(provider: Provider, ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
    if (ctx.path === '/auth' || isDevicePage(ctx)) await this.dropSessionOfOther(provider, ctx);
    if (isDeviceStep(ctx) && (await provider.Session.get(ctx)).exp === undefined) {
      // The first page begins the session that the other steps need.
      ctx.status = 303;
      ctx.redirect('/oidc/device');
      return;
    }
    await next();
    if (ctx.path !== '/session/end/confirm') return;
    const session = ctx.oidc.session as (typeof ctx.oidc.session & { readonly destroyed?: true }) | undefined;
    if (session?.destroyed) await this.signOut(ctx.req, ctx.res as Response, session.accountId);
  }

  /**
   * When another person has signed in to the platform in this browser, oidc-provider starts a new session here. The
   * grants of the first person stay.
   */
  private async dropSessionOfOther(provider: Provider, ctx: KoaContextWithOIDC): Promise<void> {
    const { accountId } = await provider.Session.get(ctx);
    if (accountId === undefined) return;
    const { headers } = ctx.req;
    const signedIn = await this.signedIn(ctx.req);
    if (signedIn === undefined || signedIn.principal.id === accountId) return;
    const name = provider.cookieName('session');
    const kept = (headers.cookie ?? '').split(';').filter(pair => !pair.trim().startsWith(name));
    headers.cookie = kept.join(';');
    ctx.cookies.set(name, null, { path: '/oidc' });
  }

  /** A sign-out at the authorization server also ends the platform's session in this browser. */
  private async signOut(request: IncomingMessage, response: Response, accountId?: string): Promise<void> {
    const signedIn = await this.signedIn(request);
    // Only the person who was asked signs out. A client cannot end the session of somebody else.
    if (signedIn === undefined || signedIn.principal.id !== accountId) return;
    await this.sessions.close(callBy(signedIn.principal, request), signedIn.principal.sessionId as string);
    clearAccessTokenCookie(response, this.settings);
  }
}

function isDevicePage({ path, method }: KoaContextWithOIDC): boolean {
  return path === '/device' && method === 'GET';
}

/** The form of the device flow, or the way back from the consent page. */
function isDeviceStep({ path, method }: KoaContextWithOIDC): boolean {
  return method === 'POST' ? path === '/device' : path.startsWith('/device/');
}

function cookieOf(request: IncomingMessage): SentCredential | undefined {
  try {
    const sent = sentCredential(request);
    return sent.fromCookie ? sent : undefined;
  } catch {
    return undefined;
  }
}
