import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { Strategy } from 'passport-jwt';
import type { Principal } from '../../kernel/principal.js';
import { People } from '../people.service.js';
import { sentCredential } from '../sent-credential.js';
import { ServiceAccountTokens } from '../service-accounts/service-account-tokens.service.js';
import type { SessionClaims } from '../sessions/jwt.js';
import { SessionJwts } from '../sessions/session-jwts.service.js';
import { Sessions } from '../sessions/sessions.service.js';

type Verifier = (token: string) => Promise<SessionClaims>;
type Done = (error: unknown, payload?: SessionClaims) => void;

/**
 * passport-jwt verifies with jsonwebtoken, which knows no EdDSA and takes the algorithm from a list for all keys.
 * jose knows every algorithm of JWKS_ALG, and the algorithm is the one stored with the key. The verifier travels
 * where passport-jwt carries a key, so that this one hook serves every application of the process.
 */
(Strategy as unknown as { JwtVerifier: unknown }).JwtVerifier = (
  token: string,
  verify: Verifier,
  _options: unknown,
  done: Done,
): void => {
  verify(token).then(payload => done(null, payload), done);
};

/** JWT of a session, from `Authorization: Bearer` or the cookie; yields the session's user or service account. */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy, 'jwt') {
  constructor(
    private readonly jwts: SessionJwts,
    private readonly sessions: Sessions,
    private readonly people: People,
    private readonly serviceAccounts: ServiceAccountTokens,
  ) {
    const verifier: Verifier = token => jwts.verify(token);
    super({
      jwtFromRequest: request => sentCredential(request).raw,
      secretOrKeyProvider: (_request, _token, done) => done(null, verifier as never),
    });
  }

  async validate(claims: SessionClaims): Promise<Principal | false> {
    // Subjects of people are uuids.
    if (claims.sub.startsWith('sa:')) return (await this.serviceAccounts.principalOf(claims)) ?? false;
    const session = await this.sessions.findAlive(claims.platformSessionId);
    if (session === null || session.userId !== claims.sub || session.clientId !== claims.client_id)
      return false;
    const principal = await this.people.ofSession(session, claims.exp, claims.scope);
    if (principal === undefined) return false;
    this.sessions.noteUse(session);
    const boundTo = this.jwts.boundTo(claims);
    return boundTo === undefined ? principal : Object.freeze({ ...principal, boundTo });
  }
}
