import { createPublicKey, type KeyObject } from 'node:crypto';
import type { CryptoKey, JWK } from 'jose';
import {
  type AccessToken,
  type ClientCredentials,
  type Configuration,
  ExternalSigningKey,
  type JWTStructured,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import type { Clock } from '../../../../base/kernel/clock.js';
import { newId } from '../../../../base/kernel/id.js';
import type { SessionClaims } from '../../sessions/jwt.js';
import { DEVICE_CODE_SECONDS } from './device-flow.js';

/**
 * Gives an access token exactly the claims of the platform's JWTs. Its session is its grant. It is issued at `now`, in
 * Unix seconds of the platform's clock, because the machine's clock, which oidc-provider uses, may be ahead of the
 * clocks of other instances.
 */
export function asSessionJwt(
  token: AccessToken | ClientCredentials,
  parts: JWTStructured,
  now: number,
): void {
  const { sub, scope = '', client_id, iss, aud } = parts.payload;
  const { iat, exp } = parts.payload as Pick<SessionClaims, 'iat' | 'exp'>;
  parts.payload = {
    platformSessionId: (token as AccessToken).grantId,
    jti: newId(),
    sub,
    iat: now,
    exp: now + exp - iat,
    scope,
    client_id,
    iss,
    aud,
  } as unknown as SessionClaims;
}

/** A single JWT cannot be revoked, only its session can. So the JWTs of clients are short-lived and refreshed. */
const ACCESS_TOKEN_SECONDS = 3600;
const ID_TOKEN_SECONDS = 3600;
/** Clients exchange a code at once (RFC 9700, 2.1.1). */
const CODE_SECONDS = 60;
/** Time for a person to sign in and decide. */
const INTERACTION_SECONDS = 3600;

/** Lifetimes in seconds. Whatever belongs to a grant ends with the session of the grant, after `maxAge` seconds at the latest. */
export function lifetimes(maxAge: number, clock: Clock): NonNullable<Configuration['ttl']> {
  const left = ({ oidc }: KoaContextWithOIDC) =>
    Math.max(1, (oidc.entities.Grant?.exp ?? 0) - clock.seconds());
  return {
    AccessToken: ctx => Math.min(ACCESS_TOKEN_SECONDS, left(ctx)),
    RefreshToken: left,
    AuthorizationCode: CODE_SECONDS,
    IdToken: ID_TOKEN_SECONDS,
    Interaction: INTERACTION_SECONDS,
    DeviceCode: DEVICE_CODE_SECONDS,
    // Without a sign-in, a browser needs its session only for a form.
    Session: (_ctx, session) => (session.accountId === undefined ? INTERACTION_SECONDS : maxAge),
    Grant: maxAge,
  };
}

/** A key of the key ring in the form that oidc-provider needs. A key without its private half can only verify. */
export class RingKey extends ExternalSigningKey {
  private readonly publicKey: KeyObject;

  constructor(
    private readonly jwk: JWK,
    private readonly privateKey: CryptoKey | undefined,
  ) {
    super();
    this.publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  }

  override get kid(): string | undefined {
    return this.jwk.kid;
  }

  override get alg(): string | undefined {
    return this.jwk.alg;
  }

  override keyObject(): KeyObject {
    return this.publicKey;
  }

  override async sign(data: Uint8Array): Promise<Uint8Array> {
    if (this.privateKey === undefined) throw new Error('this key can only verify');
    const bits = Number(this.jwk.alg?.slice(2));
    // ECDSA reads `hash`, PSS reads `saltLength`, EdDSA reads neither (Web Cryptography API, 18.4.4).
    const algorithm = { name: this.privateKey.algorithm.name, hash: `SHA-${bits}`, saltLength: bits / 8 };
    return new Uint8Array(await crypto.subtle.sign(algorithm, this.privateKey, new Uint8Array(data)));
  }
}
