import { Injectable } from '@nestjs/common';
import type { Principal } from '../../kernel/principal.js';
import { unauthorized } from '../sent-credential.js';
import { SessionJwts } from '../sessions/session-jwts.service.js';
import { Sessions } from '../sessions/sessions.service.js';
import type { ExchangedTokenView } from './token-exchange.dto.js';

/** What somebody gets for an id_token. */
@Injectable()
export class TokenExchanges {
  constructor(
    private readonly sessions: Sessions,
    private readonly jwts: SessionJwts,
  ) {}

  /** A JWT of the session that the exchange has opened. */
  async answer({ id, email, sessionId = '' }: Principal): Promise<ExchangedTokenView> {
    const session = await this.sessions.findAlive(sessionId);
    if (session === null) throw unauthorized();
    const { token, expires } = await this.jwts.mint(session);
    return { id, email, sessionId, token, expires: expires.toISOString() };
  }
}
