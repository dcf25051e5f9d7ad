import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  type GenerateKeyPairAlgorithm,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose';
import { type EntityManager, Repository } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { Settings } from '../../../platform/config/settings.js';
import { LOCK_NAMES, namedLock } from '../../../platform/database/advisory-locks.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { SigningKey, type SigningKeyState } from './keys.entity.js';

/** The rows of the signing keys. One lock serializes all changes of all instances. */
@Injectable()
export class SigningKeys {
  constructor(
    @InjectRepository(SigningKey) private readonly keys: Repository<SigningKey>,
    private readonly transactions: Transactions,
    private readonly settings: Settings,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
  ) {}

  all(): Promise<SigningKey[]> {
    return this.keys.find({ order: { createdAt: 'ASC' } });
  }

  /** Runs `work` in a transaction that holds the lock for changes of keys. */
  exclusively<T>(work: (manager: EntityManager, keys: SigningKey[]) => Promise<T>): Promise<T> {
    return this.transactions.run({ lock: namedLock(LOCK_NAMES.signingKeys()) }, async manager =>
      work(manager, await manager.find(SigningKey, { order: { createdAt: 'ASC' } })),
    );
  }

  /** Makes sure that a key is active: at the first start, and after the active row was deleted by hand. */
  ensureActive(call: Call): Promise<void> {
    return this.exclusively((manager, keys) => this.replaceMissing(manager, call, keys));
  }

  /** When none of `keys` is active, activates the published one or creates one. */
  async replaceMissing(manager: EntityManager, call: Call, keys: readonly SigningKey[]): Promise<void> {
    if (keys.some(key => key.state === 'active')) return;
    const next = keys.find(key => key.state === 'next');
    if (next === undefined) await this.create(manager, call, 'active');
    else await this.activate(manager, call, next);
  }

  async create(manager: EntityManager, call: Call, state: 'next' | 'active'): Promise<SigningKey> {
    const { kid, algorithm, publicJwk, privateJwk } = await generateKey(this.settings);
    const now = this.clock.now();
    const key = manager.create(SigningKey, {
      kid,
      algorithm,
      state,
      publicJwk,
      sealedPrivateJwk: this.secrets.encrypt(JSON.stringify(privateJwk), associatedData(kid, algorithm)),
      createdAt: now,
      activatedAt: state === 'active' ? now : null,
      rotatedAt: null,
    });
    await manager.insert(SigningKey, key);
    await this.record(manager, call, 'signingkeys.created', kid);
    return key;
  }

  /** Makes the key sign from now on. The previous key only verifies. */
  async activate(manager: EntityManager, call: Call, next: SigningKey): Promise<void> {
    const now = this.clock.now();
    const active: SigningKeyState = 'active';
    await manager.update(SigningKey, { state: active }, { state: 'rotated', rotatedAt: now });
    await manager.update(SigningKey, { kid: next.kid }, { state: active, activatedAt: now });
    await this.record(manager, call, 'signingkeys.rotated', next.kid);
  }

  async remove(manager: EntityManager, call: Call, kid: string): Promise<void> {
    await manager.delete(SigningKey, { kid });
    await this.record(manager, call, 'signingkeys.removed', kid);
  }

  /** The private half, for signing. Throws when the row or its master key was replaced. */
  async privateKey(key: SigningKey): Promise<CryptoKey> {
    const jwk = this.secrets.decrypt(key.sealedPrivateJwk, associatedData(key.kid, key.algorithm));
    return (await importJWK(JSON.parse(jwk), key.algorithm)) as CryptoKey;
  }

  private record(manager: EntityManager, call: Call, type: string, kid: string): Promise<void> {
    return this.audit.record(manager, call, undefined, { type, target: { type: 'signingkey', id: kid } });
  }
}

function associatedData(kid: string, algorithm: string): string {
  return `${kid}.${algorithm}`;
}

/** A key pair as JWKs. `kid` is the RFC 7638 thumbprint, so that equal keys have the same name. */
export interface KeyMaterial {
  readonly kid: string;
  readonly algorithm: string;
  readonly publicJwk: JWK;
  readonly privateJwk: JWK;
}

/** Generates a key pair for JWKS_ALG. JWKS_SIZE is used for RSA only; the algorithm determines the curve. */
export async function generateKey(settings: Pick<Settings, 'JWKS_ALG' | 'JWKS_SIZE'>): Promise<KeyMaterial> {
  const algorithm = settings.JWKS_ALG;
  const pair = await generateKeyPair(algorithm as GenerateKeyPairAlgorithm, {
    extractable: true,
    ...(/^(RS|PS)/.test(algorithm) && { modulusLength: settings.JWKS_SIZE }),
    ...(algorithm === 'EdDSA' && { crv: 'Ed25519' }),
  });
  const publicJwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  const privateJwk = await exportJWK(pair.privateKey);
  return { kid, algorithm, publicJwk: { ...publicJwk, kid, alg: algorithm, use: 'sig' }, privateJwk };
}
