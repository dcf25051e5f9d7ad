import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../base/kernel/clock.js';
import { Settings } from '../../../platform/config/settings.js';
import { ChoiceField, IntegerField, TextField } from '../../../platform/http/field.decorators.js';
import { outlived, Pruning } from '../../identity/pruning.js';
import { ExchangedToken } from '../federated/federated.entity.js';
import { unauthorized } from '../sent-credential.js';
import { TOLERANCE_SECONDS } from '../sessions/jwt.js';

export class ExchangeTokenBody {
  @TextField({ max: 200, description: 'Slug of the provider that issued the token.', example: 'acme-staff' })
  provider: string;

  @TextField({
    max: 16_384,
    description: 'The id_token to exchange.',
    example: 'eyJhbGciOiJSUzI1NiIs…',
  })
  subject_token: string;

  @IntegerField({
    optional: true,
    min: 60,
    description: 'Seconds until the session ends, at most ACCESS_TOKENS_MAX_AGE (the default).',
    example: 3600,
  })
  expiresAfter?: number;

  @ChoiceField(['urn:ietf:params:oauth:token-type:id_token'], {
    optional: true,
    description: 'Type of `subject_token` (RFC 8693, section 3).',
    example: 'urn:ietf:params:oauth:token-type:id_token',
  })
  subject_token_type?: string;

  @ChoiceField(['urn:ietf:params:oauth:grant-type:token-exchange'], {
    optional: true,
    description: 'Accepted because OAuth libraries send it (RFC 8693, section 2.1). Optional.',
    example: 'urn:ietf:params:oauth:grant-type:token-exchange',
  })
  grant_type?: string;
}

export class ExchangedTokenView {
  @ApiProperty({ format: 'uuid', description: 'Id of the user.' })
  id: string;

  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' })
  email: string | null;

  @ApiProperty({ format: 'uuid' })
  sessionId: string;

  @ApiProperty({ description: 'JWT of the session.', example: 'eyJhbGciOiJSUzI1NiIs…' })
  token: string;

  @ApiProperty({ format: 'date-time' })
  expires: string;
}

/** Remembers exchanged id_tokens, so that nobody can exchange a token a second time. */
@Injectable()
export class ExchangedTokens {
  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly pruning: Pruning,
  ) {}

  /**
   * Marks the token as used, in the caller's transaction. Throws 401 when it was used before. Concurrent calls wait for the
   * first one to end. A transaction that rolls back leaves the token unused.
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

  /** Removes expired tokens. Returns their number. */
  removeExpired(signal?: AbortSignal): Promise<number> {
    const expired = { entity: ExchangedToken, time: 'expiresAt', before: this.clock.now() } as const;
    return this.pruning.remove({ ...expired, event: outlived('exchangedtokens') }, signal);
  }
}

/**
 * Hashes the signed part without the signature, because a signature has several valid encodings (unused bits of base64url,
 * the two forms of an ECDSA signature). The hash needs no pepper: without the signature it reveals no usable token, and a
 * replaced pepper would let a used token in again.
 */
function hashOf(token: string): string {
  const signed = token.slice(0, token.lastIndexOf('.'));
  return createHash('sha256').update(signed).digest('base64url');
}
