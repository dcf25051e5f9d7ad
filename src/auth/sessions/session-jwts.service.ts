import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings.js';
import { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/id.js';
import { KeyRing } from '../keys/key-ring.js';
import { boundPath, FIRST_PARTY_SCOPE, issuerOf, type SessionClaims, signJwt, verifyJwt } from './jwt.js';
import type { PersonSession, Session } from './session.entity.js';

/** JWTs of sessions: minted with the active key, verified with every published one. */
@Injectable()
export class SessionJwts {
  constructor(
    private readonly ring: KeyRing,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** A JWT of the person whose session it is; it ends as `mintFor` says. */
  mint(session: PersonSession): Promise<{ token: string; expires: Date }> {
    return this.mintFor(session.userId, session);
  }

  /** A JWT that ends with its session, at the latest ACCESS_TOKENS_MAX_AGE seconds from now. */
  async mintFor(
    subject: string,
    session: Pick<Session, 'id' | 'clientId' | 'expiresAt'>,
  ): Promise<{ token: string; expires: Date }> {
    const iat = this.clock.seconds();
    const sessionEnd = Math.floor(session.expiresAt.getTime() / 1000);
    const exp = Math.min(sessionEnd, iat + this.settings.ACCESS_TOKENS_MAX_AGE);
    const claims: SessionClaims = {
      platformSessionId: session.id,
      jti: newId(),
      sub: subject,
      iat,
      exp,
      scope: FIRST_PARTY_SCOPE,
      client_id: session.clientId,
    };
    const token = await signJwt(claims, this.context(), await this.ring.signingKey());
    return { token, expires: new Date(exp * 1000) };
  }

  /** Throws for every text that is not a valid JWT of this platform; says nothing about its session. */
  verify(token: string): Promise<SessionClaims> {
    return verifyJwt(token, {
      ...this.context(),
      now: this.clock.now(),
      keyOf: kid => this.ring.verificationKey(kid),
    });
  }

  /** The only path at which a verified JWT is accepted; undefined when it is everywhere. */
  boundTo(claims: SessionClaims): string | undefined {
    return boundPath(claims, this.settings.PUBLIC_URL);
  }

  private context(): { issuer: string; audience: string } {
    return { issuer: issuerOf(this.settings), audience: this.settings.PUBLIC_URL };
  }
}
