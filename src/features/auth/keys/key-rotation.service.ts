import { Injectable } from '@nestjs/common';
import { type Call, platformCall } from '../../../base/kernel/call.js';
import { Clock, DAY_MS } from '../../../base/kernel/clock.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { Settings } from '../../../platform/config/settings.js';
import { TOLERANCE_SECONDS } from '../sessions/jwt.js';
import { KeyRing } from './key-ring.js';
import type { SigningKey } from './keys.entity.js';
import { SigningKeys } from './signing-keys.service.js';

/** A key is published this long before it signs: twice the time for which verifiers may cache GET /oidc/jwks. */
const LEAD_MS = 10 * 60_000;
/** After a rotation, another instance may sign with the old key for this long. It reads the keys again every 5 s. */
const LATE_SIGNATURE_SECONDS = 30;

/** The result of one step of the rotation. Both fields are absent when nothing was due. */
export interface RotationStep {
  readonly published?: string;
  readonly activated?: string;
}

/** Rotates signing keys (spec 3.2). All instances may call it at any time. */
@Injectable()
export class KeyRotation {
  constructor(
    private readonly keys: SigningKeys,
    private readonly ring: KeyRing,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** Publishes the next key or activates the published one, if that is due. The job calls it every few minutes. */
  async rotate(call: Call = platformCall('job')): Promise<RotationStep> {
    await this.keys.ensureActive(call);
    const now = this.clock.now().getTime();
    const step = await this.keys.exclusively(async (manager, keys): Promise<RotationStep> => {
      const next = keys.find(key => key.state === 'next');
      if (next !== undefined) {
        if (now - next.createdAt.getTime() < LEAD_MS) return {};
        await this.keys.activate(manager, call, next);
        return { activated: next.kid };
      }
      const active = keys.find(key => key.state === 'active');
      if (active === undefined || !this.isDue(active, now)) return {};
      return { published: (await this.keys.create(manager, call, 'next')).kid };
    });
    this.ring.forget();
    return step;
  }

  /** Starts a rotation now. `rotate` activates the key once it is old enough. Returns the kid of the key. */
  async publishNext(call: Call): Promise<string> {
    const kid = await this.keys.exclusively(async (manager, keys) => {
      const published = keys.find(key => key.state === 'next');
      return (published ?? (await this.keys.create(manager, call, 'next'))).kid;
    });
    this.ring.forget();
    return kid;
  }

  /** Removes rotated keys whose last token has expired. Returns their kids. */
  async removeExpired(call: Call = platformCall('job')): Promise<string[]> {
    const seconds = this.settings.ACCESS_TOKENS_MAX_AGE + TOLERANCE_SECONDS + LATE_SIGNATURE_SECONDS;
    const before = this.clock.now().getTime() - seconds * 1000;
    const kids = await this.keys.exclusively(async (manager, keys) => {
      const expired = keys.filter(key => key.state === 'rotated' && Number(key.rotatedAt) < before);
      for (const { kid } of expired) await this.keys.remove(manager, call, kid);
      return expired.map(key => key.kid);
    });
    this.ring.forget();
    return kids;
  }

  /** Removes a key at once, which invalidates its tokens. An active key is replaced in the same transaction. */
  async remove(call: Call, kid: string): Promise<void> {
    await this.keys.exclusively(async (manager, keys) => {
      const left = keys.filter(key => key.kid !== kid);
      if (left.length === keys.length) throw new PlatformError('NotFound', `There is no signing key ${kid}.`);
      await this.keys.remove(manager, call, kid);
      await this.keys.replaceMissing(manager, call, left);
    });
    this.ring.forget();
  }

  private isDue(active: SigningKey, now: number): boolean {
    const since = (active.activatedAt ?? active.createdAt).getTime();
    return now - since >= this.settings.JWKS_ROTATION_DAYS * DAY_MS - LEAD_MS;
  }
}
