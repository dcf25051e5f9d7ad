import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import CustomStrategy from 'passport-custom';
import type { Principal } from '../../kernel/principal.js';
import { People } from '../principals.service.js';
import { sentCredential } from '../sent-credential.js';
import { ServiceAccountTokens } from '../service-accounts/service-account-tokens.service.js';
import type { SessionClaims } from '../sessions/jwt.js';
import { SessionJwts } from '../sessions/session-jwts.service.js';
import { Sessions } from '../sessions/sessions.service.js';

/**
 * JWT of a session.
 *
 * - Read from: `Authorization: Bearer` or the cookie `access-token`.
 * - Proven by: its signature and claims (jose), and its session, which must not have ended.
 * - Yields: the user of the session, or the service account.
 *
 * This is not the strategy of passport-jwt: that one verifies with jsonwebtoken, which has no EdDSA and takes one list
 * of algorithms for all keys. Here each key verifies its own algorithm only.
 */
@Injectable()
export class JwtStrategy extends PassportStrategy(CustomStrategy, 'jwt') {
  constructor(
    private readonly jwts: SessionJwts,
    private readonly sessions: Sessions,
    private readonly people: People,
    private readonly serviceAccounts: ServiceAccountTokens,
  ) {
    super();
  }

  async validate(request: Request): Promise<Principal | false> {
    return (await this.principalOf(sentCredential(request).raw)) ?? false;
  }

  /** The principal of a JWT; undefined for a text that is not a valid JWT, and when the session has ended. */
  async principalOf(token: string): Promise<Principal | undefined> {
    const claims = await this.jwts.verify(token).catch(() => undefined);
    if (claims === undefined) return undefined;
    // The subjects of people are UUIDs.
    return claims.sub.startsWith('sa:') ? this.serviceAccounts.principalOf(claims) : this.personOf(claims);
  }

  private async personOf(claims: SessionClaims): Promise<Principal | undefined> {
    const session = await this.sessions.findAlive(claims.platformSessionId);
    if (session?.userId !== claims.sub || session.clientId !== claims.client_id) return undefined;
    const principal = await this.people.ofSession(session, claims.exp, claims.scope);
    if (principal === undefined) return undefined;
    this.sessions.noteUse(session);
    const boundTo = this.jwts.boundTo(claims);
    return boundTo === undefined ? principal : Object.freeze({ ...principal, boundTo });
  }
}
