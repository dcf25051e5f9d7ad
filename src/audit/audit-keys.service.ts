import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Secrets } from '../config/secrets.js';

interface KeyRow {
  readonly kid: string;
  readonly sealed: string;
}

/** The public half of a key (RFC 8037). */
export type AuditJwk = JsonWebKey & { readonly kid: string };

/**
 * Ed25519 keys that sign checkpoints. They are not the keys that sign JWTs: those are removed after some weeks, but a
 * checkpoint must be verifiable for years. Private keys are sealed with a master key, so a key that can be opened is
 * genuine.
 */
@Injectable()
export class AuditKeys {
  private readonly opened = new Map<string, KeyObject>();

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly secrets: Secrets,
  ) {}

  /** Signs with the newest key; creates a key when there is none. */
  async sign(message: string): Promise<{ kid: string; signature: Buffer }> {
    const [row]: KeyRow[] = await this.source.query(
      'SELECT kid, sealed_private_jwk AS sealed FROM audit_keys ORDER BY created_at DESC LIMIT 1',
    );
    const kid = row === undefined ? await this.make() : row.kid;
    return { kid, signature: sign(null, Buffer.from(message), await this.open(kid)) };
  }

  /** Also false when the key is gone or was not sealed with a master key. */
  async verifies(kid: string, message: string, signature: Buffer): Promise<boolean> {
    const key = await this.open(kid).catch(() => undefined);
    return key !== undefined && verify(null, Buffer.from(message), createPublicKey(key), signature);
  }

  /** The public key that clients verify a checkpoint with. */
  async publicJwk(kid: string): Promise<AuditJwk> {
    const { kty, crv, x } = createPublicKey(await this.open(kid)).export({ format: 'jwk' });
    return { kty, crv, x, alg: 'EdDSA', use: 'sig', kid };
  }

  private async make(): Promise<string> {
    const { privateKey } = generateKeyPairSync('ed25519');
    const jwk = privateKey.export({ format: 'jwk' });
    const kid = createHash('sha256').update(String(jwk.x)).digest('base64url');
    await this.source.query('INSERT INTO audit_keys (kid, sealed_private_jwk) VALUES ($1, $2)', [
      kid,
      this.secrets.encrypt(JSON.stringify(jwk), `audit-key.${kid}`),
    ]);
    return kid;
  }

  private async open(kid: string): Promise<KeyObject> {
    const known = this.opened.get(kid);
    if (known !== undefined) return known;
    const [row]: KeyRow[] = await this.source.query(
      'SELECT kid, sealed_private_jwk AS sealed FROM audit_keys WHERE kid = $1',
      [kid],
    );
    if (row === undefined) throw new Error(`there is no key ${kid}`);
    const jwk: JsonWebKey = JSON.parse(this.secrets.decrypt(row.sealed, `audit-key.${kid}`));
    const key = createPrivateKey({ key: jwk, format: 'jwk' });
    this.opened.set(kid, key);
    return key;
  }
}
