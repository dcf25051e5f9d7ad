import { Injectable } from '@nestjs/common';
import { type JWTPayload, jwtVerify } from 'jose';
import { Clock } from '../../../base/kernel/clock.js';
import type { Provider } from '../../orgs/sso/sso-provider.entity.js';
import { isCompactJwt } from '../sessions/jwt.js';
import { ASYMMETRIC, ProviderKeys } from './provider-documents.service.js';
import { IdTokenRefused, ProviderUnavailable } from './published-documents.js';

/** The verified claims of an id_token. Other claims are as the provider sent them. */
export interface IdTokenClaims extends JWTPayload {
  readonly iss: string;
  readonly sub: string;
  readonly exp: number;
  readonly iat: number;
}

const MAX_LENGTH = 16 * 1024;
/** OpenID Connect Core 1.0, section 2. */
const MAX_SUB_LENGTH = 255;
/** Tolerance for the clocks of providers, the same as for our own JWTs. */
const TOLERANCE_SECONDS = 30;
/** The end of the year 9999 in Unix seconds. */
const LAST_SECOND = 253_402_300_799;

/** Verifies id_tokens of identity providers (spec rule 6). */
@Injectable()
export class IdTokens {
  constructor(
    private readonly keys: ProviderKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * The claims of an id_token that the provider signed for this platform only and that has not expired. The caller
   * compares the `nonce`. Throws IdTokenRefused, or ProviderUnavailable when the provider's keys cannot be loaded.
   */
  async verify(
    provider: Provider,
    idToken: string,
    { now = this.clock.now() }: { readonly now?: Date } = {},
  ): Promise<IdTokenClaims> {
    if (idToken.length > MAX_LENGTH) throw new IdTokenRefused('it is too long');
    // Otherwise one token could be exchanged several times, each time in another encoding.
    if (!isCompactJwt(idToken)) throw new IdTokenRefused('it does not have the form of a JWT');
    const claims = await this.signedClaims(provider, idToken, now).catch(error => {
      if (error instanceof IdTokenRefused || error instanceof ProviderUnavailable) throw error;
      throw new IdTokenRefused((error as Error).message, { cause: error });
    });
    assertForUsAlone(claims, provider.config.client_id);
    const { iat, exp, sub } = claims;
    if (typeof iat !== 'number' || iat > now.getTime() / 1000 + TOLERANCE_SECONDS) {
      throw new IdTokenRefused('iat is in the future');
    }
    if (!(Number(exp) <= LAST_SECOND)) throw new IdTokenRefused('exp is not a valid time');
    if (!isSubject(sub)) throw new IdTokenRefused('sub is missing, too long or not valid text');
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
    // Access tokens and logout tokens can have the same issuer and audience, but they have another type (RFC 9068,
    // RFC 8725 3.11).
    if (!/^(application\/)?jwt$/i.test(String(protectedHeader.typ ?? 'JWT'))) {
      throw new IdTokenRefused('typ is not the type of an id_token');
    }
    return payload;
  }
}

/** Refuses text that PostgreSQL cannot store (NUL, lone surrogates), so that two subjects never become the same text. */
function isSubject(sub: unknown): boolean {
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUB_LENGTH) return false;
  return sub.isWellFormed() && !sub.includes('\0');
}

/** jose accepts a list of audiences that contains ours. Then another application may have the token too. */
function assertForUsAlone({ aud }: JWTPayload, clientId: string): void {
  const audiences = Array.isArray(aud) ? aud : [aud];
  if (audiences.length === 0 || audiences.some(each => each !== clientId)) {
    throw new IdTokenRefused('aud is not exactly our client_id');
  }
}
