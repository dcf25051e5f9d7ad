import { Injectable } from '@nestjs/common';
import { type JWTPayload, jwtVerify } from 'jose';
import { Clock } from '../../kernel/clock.js';
import { isCompactJwt } from '../../kernel/compact-jwt.js';
import type { Provider } from '../../orgs/sso/provider.js';
import { ASYMMETRIC, ProviderKeys } from './provider-keys.service.js';
import { IdTokenRefused, ProviderUnavailable } from './published-documents.js';

/** What a provider says of somebody. Every claim beyond these is as the provider sent it. */
export interface IdTokenClaims extends JWTPayload {
  readonly iss: string;
  readonly sub: string;
  readonly exp: number;
  readonly iat: number;
}

const MAX_LENGTH = 16 * 1024;
/** OpenID Connect Core 1.0, section 2. */
const MAX_SUB_LENGTH = 255;
/** Clocks of two companies; as for our own JWTs. */
const TOLERANCE_SECONDS = 30;
/** Seconds to the end of the year 9999, long before dates end. */
const LAST_SECOND = 253_402_300_799;

/** Spec rule 6. */
@Injectable()
export class IdTokens {
  constructor(
    private readonly keys: ProviderKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * The claims of an id_token that the provider signed, for us and nobody else, and that is not over. A `nonce` is
   * for the caller to compare. Throws IdTokenRefused, or ProviderUnavailable when there are no keys to check with.
   */
  async verify(
    provider: Provider,
    idToken: string,
    { now = this.clock.now() }: { readonly now?: Date } = {},
  ): Promise<IdTokenClaims> {
    if (idToken.length > MAX_LENGTH) throw new IdTokenRefused('too long');
    // Else one token could be exchanged once in each of several texts.
    if (!isCompactJwt(idToken)) throw new IdTokenRefused('not the text of a JWT');
    const claims = await this.signedClaims(provider, idToken, now).catch(error => {
      if (error instanceof IdTokenRefused || error instanceof ProviderUnavailable) throw error;
      throw new IdTokenRefused((error as Error).message, { cause: error });
    });
    assertForUsAlone(claims, provider.config.client_id);
    const { iat, exp, sub } = claims;
    if (typeof iat !== 'number' || iat > now.getTime() / 1000 + TOLERANCE_SECONDS) {
      throw new IdTokenRefused('iat is in the future');
    }
    if (!(Number(exp) <= LAST_SECOND)) throw new IdTokenRefused('exp is no time');
    if (!isSubject(sub)) throw new IdTokenRefused('sub');
    return claims as IdTokenClaims;
  }

  private async signedClaims(provider: Provider, idToken: string, now: Date): Promise<JWTPayload> {
    const { payload, protectedHeader } = await jwtVerify(
      idToken,
      header => this.keys.keyFor(provider, header),
      {
        algorithms: ASYMMETRIC,
        issuer: provider.config.issuer,
        requiredClaims: ['sub', 'aud', 'exp', 'iat'],
        currentDate: now,
        clockTolerance: TOLERANCE_SECONDS,
      },
    );
    // Access and logout tokens have the same issuer and audience, and types of their own (RFC 9068, RFC 8725 3.11).
    if (!/^(application\/)?jwt$/i.test(String(protectedHeader.typ ?? 'JWT'))) {
      throw new IdTokenRefused('typ is not that of an id_token');
    }
    return payload;
  }
}

/** Without what no text in the database can hold: there, two of them could be one. */
function isSubject(sub: unknown): boolean {
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUB_LENGTH) return false;
  return sub.isWellFormed() && !sub.includes('\0');
}

/** jose is content with an audience that merely contains us; then another application may hold the token too. */
function assertForUsAlone({ aud }: JWTPayload, clientId: string): void {
  const audiences = Array.isArray(aud) ? aud : [aud];
  if (audiences.length === 0 || audiences.some(each => each !== clientId)) {
    throw new IdTokenRefused('aud is not the client alone');
  }
}
