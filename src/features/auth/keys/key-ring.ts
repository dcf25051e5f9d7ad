import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { type CryptoKey, importJWK, type JWK } from 'jose';
import { platformCall } from '../../../base/kernel/call.js';
import { Notifications } from '../../../platform/database/notifications.js';
import { OutageLog } from '../../../platform/database/outage-log.js';
import type { SigningKey } from './keys.entity.js';
import { SigningKeys } from './signing-keys.service.js';

/** When the notification is lost, a removed key still verifies for this long (contract: 5 s). */
const MAX_AGE_MS = 5_000;

export interface VerificationKey {
  readonly algorithm: string;
  readonly publicKey: CryptoKey;
}

interface Ring {
  readonly rows: readonly SigningKey[];
  readonly verification: ReadonlyMap<string, VerificationKey>;
  readonly signing: { readonly kid: string; readonly algorithm: string; readonly key: CryptoKey } | undefined;
}

/** The signing keys in memory. They are read again when they change, and at every use while the listener is not connected. */
@Injectable()
export class KeyRing implements OnApplicationBootstrap {
  private readonly outage = new OutageLog(new Logger(KeyRing.name), 'reading the signing keys');
  private ring: { readonly loaded: Promise<Ring>; readonly since: number } | undefined;
  private lastGood: Ring | undefined;

  constructor(
    private readonly keys: SigningKeys,
    private readonly notifications: Notifications,
  ) {
    notifications.subscribe('jwks.updated', () => this.reread());
    notifications.onReread(() => this.reread());
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.signingKey();
  }

  private reread(): void {
    this.forget();
    this.current()
      .then(ring => ring.signing ?? this.signingKey())
      .then(
        () => this.outage.succeeded(),
        error => this.outage.failed(error as Error),
      );
  }

  /** The next use reads the table again. */
  forget(): void {
    this.ring = undefined;
  }

  /** The key with this `kid`. It may be not yet active here: another instance may already sign with it. */
  async verificationKey(kid: string): Promise<VerificationKey | undefined> {
    return (await this.current()).verification.get(kid);
  }

  /** The active key. Creates one when there is none. */
  async signingKey(): Promise<NonNullable<Ring['signing']>> {
    const { signing } = await this.current();
    if (signing !== undefined) return signing;
    await this.keys.ensureActive(platformCall('job'));
    this.forget();
    const made = (await this.current()).signing;
    if (made === undefined) throw new Error('there is no active signing key');
    return made;
  }

  /** The public keys for GET /oidc/jwks: all keys that verify now or soon. */
  async publicKeys(): Promise<JWK[]> {
    return (await this.current()).rows.map(row => row.publicJwk);
  }

  private current(): Promise<Ring> {
    const trusted = this.notifications.isListening;
    if (this.ring === undefined || !trusted || performance.now() - this.ring.since > MAX_AGE_MS) {
      this.ring = { loaded: this.load(), since: performance.now() };
    }
    return this.ring.loaded;
  }

  private async load(): Promise<Ring> {
    try {
      const ring = await this.open(await this.keys.all());
      this.lastGood = ring;
      return ring;
    } catch (error) {
      // Old keys are safe to use: without the database no session can be checked, and the caller gets a 503.
      if (this.lastGood === undefined) throw error;
      this.forget();
      return this.lastGood;
    }
  }

  private async open(rows: SigningKey[]): Promise<Ring> {
    const verification = new Map<string, VerificationKey>();
    for (const { kid, algorithm, publicJwk } of rows) {
      const publicKey = (await importJWK(publicJwk, algorithm)) as CryptoKey;
      verification.set(kid, { algorithm, publicKey });
    }
    const active = rows.find(row => row.state === 'active');
    if (active === undefined) return { rows, verification, signing: undefined };
    const known = this.lastGood?.signing;
    const { kid, algorithm } = active;
    const key = known?.kid === kid ? known.key : await this.keys.privateKey(active);
    return { rows, verification, signing: { kid, algorithm, key } };
  }
}
