import { createPublicKey, type KeyObject } from 'node:crypto';
import type { CryptoKey, JWK } from 'jose';
import { ExternalSigningKey } from 'oidc-provider';

/** A key of the ring as oidc-provider asks for one. Without its private half it only verifies. */
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
    if (this.privateKey === undefined) throw new Error('this key only verifies');
    const bits = Number(this.jwk.alg?.slice(2));
    // Each algorithm reads what it needs of these (Web Cryptography API, 18.4.4): EdDSA none, ECDSA and PSS one each.
    const algorithm = { name: this.privateKey.algorithm.name, hash: `SHA-${bits}`, saltLength: bits / 8 };
    return new Uint8Array(await crypto.subtle.sign(algorithm, this.privateKey, new Uint8Array(data)));
  }
}
