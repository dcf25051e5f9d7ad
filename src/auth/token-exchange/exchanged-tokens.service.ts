import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type EntityManager, LessThan } from 'typeorm';
import { Settings } from '../../config/settings.js';
import { Pruning } from '../../identity/rights-transaction.js';
import { Clock } from '../../kernel/clock.js';
import type { Principal } from '../../kernel/principal.js';
import { ExchangedToken } from '../federated/federated.entity.js';
import { unauthorized } from '../sent-credential.js';
import { TOLERANCE_SECONDS } from '../sessions/jwt.js';
import { SessionJwts } from '../sessions/session-jwts.service.js';
import { Sessions } from '../sessions/sessions.service.js';
import type { ExchangedTokenView } from './token-exchange.dto.js';

/** Remembers which id_tokens were exchanged, so that whoever finds a used one can do nothing with it. */
@Injectable()
export class ExchangedTokens {
  constructor(
    private readonly sessions: Sessions,
    private readonly jwts: SessionJwts,
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly pruning: Pruning,
  ) {}

  /**
   * Uses the token up, in the caller's transaction: 401 when it was used before. Of any number at the same time one
   * goes on, the others wait for it to end; one that is refused later has used nothing.
   */
  async use(manager: EntityManager, token: string, exp: number): Promise<void> {
    if (this.settings.TOKEN_EXCHANGE_SINGLE_USE === 'off') return;
    const inserted = await manager.query(
      `INSERT INTO exchanged_tokens (token_hash, expires_at) VALUES ($1, $2)
       ON CONFLICT DO NOTHING RETURNING token_hash`,
      [hashOf(token), new Date((exp + TOLERANCE_SECONDS) * 1000)],
    );
    if (inserted.length === 0) throw unauthorized();
  }

  /** Mints a JWT of the session that the exchange has opened. */
  async mintFor({ id, email, sessionId = '' }: Principal): Promise<ExchangedTokenView> {
    const session = await this.sessions.findAlive(sessionId);
    if (session === null) throw unauthorized();
    const { token, expires } = await this.jwts.mint(session);
    return { id, email, sessionId, token, expires: expires.toISOString() };
  }

  /** Removes tokens that have expired. Returns how many. */
  removeExpired(): Promise<number> {
    return this.pruning.remove(ExchangedToken, { expiresAt: LessThan(this.clock.now()) }, 'exchangedtokens');
  }
}

/**
 * Of what is signed, not of the signature: the same signature can be written in more than one way (unused bits of
 * base64url, the two forms of an ECDSA signature). Without a pepper, which may be replaced: a hash that is not
 * found lets a token in, and this one leads to no token, since it leaves the signature out.
 */
function hashOf(token: string): string {
  const signed = token.slice(0, token.lastIndexOf('.'));
  return createHash('sha256').update(signed).digest('base64url');
}
