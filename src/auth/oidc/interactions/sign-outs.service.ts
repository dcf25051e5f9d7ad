import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { KoaContextWithOIDC, default as Provider } from 'oidc-provider';
import { Settings } from '../../../config/settings.js';
import { clearAccessTokenCookie } from '../../access-token-cookie.js';
import { Sessions } from '../../sessions/sessions.service.js';
import { BrowserSessions } from '../browser-sessions.service.js';
import { callBy } from '../current-call.js';

/** Keeps what oidc-provider believes of a browser and what the platform knows of it together. */
@Injectable()
export class SignOuts {
  constructor(
    private readonly browsers: BrowserSessions,
    private readonly sessions: Sessions,
    private readonly settings: Settings,
  ) {}

  /** Around every request to oidc-provider. */
  async around(provider: Provider, ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
    if (ctx.path === '/auth') await this.leaveSomebodyElse(provider, ctx);
    await next();
    if (ctx.path !== '/session/end/confirm') return;
    const session = ctx.oidc.session as (typeof ctx.oidc.session & { readonly destroyed?: true }) | undefined;
    if (session?.destroyed) await this.signOut(ctx.req, ctx.res as Response, session.accountId);
  }

  /** A browser that another person has signed in to begins anew; what the first one connected goes on elsewhere. */
  private async leaveSomebodyElse(provider: Provider, ctx: KoaContextWithOIDC): Promise<void> {
    const { accountId } = await provider.Session.get(ctx);
    if (accountId === undefined) return;
    const { headers } = ctx.req;
    const signedIn = await this.browsers.signedIn(ctx.req);
    if (signedIn === undefined || signedIn.principal.id === accountId) return;
    const name = provider.cookieName('session');
    const kept = (headers.cookie ?? '').split(';').filter(pair => !pair.trim().startsWith(name));
    headers.cookie = kept.join(';');
    ctx.cookies.set(name, null, { path: '/oidc' });
  }

  /** Whoever signs out of the authorization server signs out of the platform in this browser. */
  private async signOut(request: IncomingMessage, response: Response, accountId?: string): Promise<void> {
    const signedIn = await this.browsers.signedIn(request);
    // Nobody was asked who was not signed in there: their session is not for a client to end.
    if (signedIn === undefined || signedIn.principal.id !== accountId) return;
    await this.sessions.close(callBy(signedIn.principal, request), signedIn.principal.sessionId as string);
    clearAccessTokenCookie(response, this.settings);
  }
}
