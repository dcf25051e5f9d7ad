import { Injectable } from '@nestjs/common';
import { Notifications } from '../database/notifications.js';
import { CredentialChanges } from '../identity/credential-changes.js';
import { Clock } from '../kernel/clock.js';
import type { Principal } from '../kernel/principal.js';

/** How long a verified credential is believed without asking again (contract: changes count within 5 s). */
const MAX_AGE_MS = 5_000;
const MAX_ENTRIES = 10_000;

interface Verified {
  readonly principal: Principal;
  /** When its verification began, on the process's monotonic clock. */
  readonly since: number;
}

/**
 * Credentials that were verified a moment ago, so that a warm request costs no round trip. Forgotten whole on every
 * change that could matter: which credential a changed role or membership touches would be a second truth to keep.
 * While this instance does not hear of changes, nothing is remembered: each request proves its credential.
 */
@Injectable()
export class CredentialCache {
  /** How often it was asked, for the metrics. */
  readonly counts = { hits: 0, misses: 0 };
  private verified = new Map<string, Verified>();
  private pending = new Map<string, Promise<Principal>>();

  constructor(
    private readonly clock: Clock,
    private readonly notifications: Notifications,
    changes: CredentialChanges,
  ) {
    changes.subscribe(() => this.clear());
    for (const event of ['jwks.updated', 'sessions.revoked', 'permissions.changed'] as const) {
      notifications.subscribe(event, () => this.clear());
    }
  }

  /** Nothing that was verified before counts any more; what is being verified now is not kept. */
  clear(): void {
    this.verified = new Map();
    this.pending = new Map();
  }

  /** The principal of a credential verified less than five seconds ago and not expired since. */
  get(credential: string): Principal | undefined {
    const principal = this.current(credential);
    if (principal === undefined) this.counts.misses += 1;
    else this.counts.hits += 1;
    return principal;
  }

  private current(credential: string): Principal | undefined {
    if (!this.notifications.isListening) return undefined;
    const entry = this.verified.get(credential);
    if (entry === undefined) return undefined;
    const { principal, since } = entry;
    const fresh = performance.now() - since < MAX_AGE_MS;
    if (fresh && (principal.expiresAt === undefined || principal.expiresAt > this.clock.seconds())) {
      return principal;
    }
    this.verified.delete(credential);
    return undefined;
  }

  /** Verifies once, however many requests ask for the same credential meanwhile; a refusal is not remembered. */
  verify(credential: string, verification: () => Promise<Principal>): Promise<Principal> {
    if (!this.notifications.isListening) return verification();
    const running = this.pending.get(credential);
    if (running !== undefined) return running;
    // A clear replaces both maps: what this verification read before it goes into maps that nobody asks any more.
    const { verified, pending } = this;
    const since = performance.now();
    const result = verification()
      .then(principal => {
        // Verified again every few seconds, an entry in use moves to the end: the first is the one not used for longest.
        if (verified.size >= MAX_ENTRIES) verified.delete(verified.keys().next().value as string);
        verified.delete(credential);
        verified.set(credential, { principal, since });
        return principal;
      })
      .finally(() => pending.delete(credential));
    pending.set(credential, result);
    return result;
  }
}
