import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/kernel/clock.js';
import { newId } from '../../../base/kernel/id.js';
import { Settings } from '../../../platform/config/settings.js';
import { KeyRing } from '../keys/key-ring.js';
import { boundPath, FIRST_PARTY_SCOPE, issuerOf, type SessionClaims, signJwt, verifyJwt } from './jwt.js';
import type { PersonSession, Session } from './session.entity.js';

/** Mints and verifies the JWTs of sessions. The active key signs; every published key verifies. */
@Injectable()
export class SessionJwts {
  constructor(
    private readonly ring: KeyRing,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** Mints a JWT for the person of a session. */
  mint(session: PersonSession): Promise<{ token: string; expires: Date }> {
    return this.mintFor(session.userId, session);
  }

  /** Mints a JWT that expires with its session, or after ACCESS_TOKENS_MAX_AGE seconds if that is earlier. */
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

  /** Throws for any text that is not a valid JWT of this platform. Does not check the session. */
  verify(token: string): Promise<SessionClaims> {
    return verifyJwt(token, {
      ...this.context(),
      now: this.clock.now(),
      keyOf: kid => this.ring.verificationKey(kid),
    });
  }

  /** The only path where a verified JWT is accepted; undefined when it is accepted everywhere. */
  boundTo(claims: SessionClaims): string | undefined {
    return boundPath(claims, this.settings.PUBLIC_URL);
  }

  private context(): { issuer: string; audience: string } {
    return { issuer: issuerOf(this.settings), audience: this.settings.PUBLIC_URL };
  }
}
