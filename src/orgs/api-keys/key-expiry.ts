import { invalid, PlatformError } from '../../kernel/errors.js';
import type { OrgApiKey } from './org-api-key.entity.js';

type Expiry = Partial<Pick<OrgApiKey, 'expiresAt' | 'collectionId'>>;

/** 400 for an expiry that has come already. */
export function assertFuture({ expiresAt, collectionId }: Expiry, now: Date): void {
  if (!isPast(expiresAt, now)) return;
  throw invalid(`${collectionId ? 'expires_at' : 'expiresAt'}: the key would be expired already.`);
}

/** 409 for an expired key, which a new secret would not make good again. */
export function assertAlive({ expiresAt }: Expiry, now: Date): void {
  if (isPast(expiresAt, now)) throw new PlatformError('Conflict', 'The key has expired: mint another.');
}

/** Until when the old secret of a rotated key is good: never later than it would have been. Null: at once void. */
export function graceEnd({ expiresAt }: Expiry, graceSeconds: number, now: Date): Date | null {
  if (graceSeconds === 0) return null;
  const end = new Date(now.getTime() + graceSeconds * 1000);
  return expiresAt && expiresAt < end ? expiresAt : end;
}

function isPast(expiresAt: Date | null | undefined, now: Date): boolean {
  return expiresAt != null && expiresAt <= now;
}
