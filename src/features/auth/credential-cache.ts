import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/kernel/clock.js';
import type { ChangedIds } from '../../base/kernel/id.js';
import type { Principal } from '../../base/kernel/principal.js';
import { rereadWhenLost } from '../../base/kernel/sql-state.js';
import { CredentialChanges } from '../../platform/database/credential-changes.js';
import { Notifications } from '../../platform/database/notifications.js';

/** With more changed ids than this, all ids count as changed. */
const MAX_IDS = 10_000;

/** Which ids have changed since a point in time. A point in time is the number of changes received before it. */
class RecentChanges {
  /** Changes received so far. */
  count = 0;
  private all = 0;
  // biome-ignore lint/plugin/bounded-maps: at most MAX_IDS
  private readonly last = new Map<string, number>();

  note(changed: ChangedIds): void {
    this.count += 1;
    if (changed === 'all' || this.last.size + changed.length > MAX_IDS) {
      this.all = this.count;
      this.last.clear();
      return;
    }
    for (const id of changed) this.last.set(id, this.count);
  }

  /** True when one of the ids has changed since `since`. */
  touched(ids: readonly string[], since: number): boolean {
    return this.all > since || ids.some(id => (this.last.get(id) ?? 0) > since);
  }

  /** Forgets the ids. Only for times when nobody will ask about a point in time before now. */
  clear(): void {
    this.last.clear();
  }
}

/**
 * Time to live of a verified credential. Changes must take effect within 5 s (contract). Half a second of that is left
 * for the time from the check of the credential to the SQL statement.
 */
const MAX_AGE_MS = 4_500;
const MAX_ENTRIES = 10_000;
/** Entries of one principal. A key has an entry for each client address. */
const MAX_ENTRIES_EACH = 1_000;

interface Verified {
  readonly principal: Principal;
  readonly ids: readonly string[];
  /** When its verification began, on the monotonic clock of the process. */
  readonly since: number;
}

interface Verification {
  /** The number of changes received before it began. */
  readonly began: number;
  readonly result: Promise<Principal>;
}

/**
 * Caches verified credentials, so that most requests authenticate without a round trip. A change names the ids of its rows
 * and removes the credentials that depend on them. While the listener is not connected, nothing is cached and every
 * request verifies its credential.
 */
@Injectable()
export class CredentialCache {
  /** For the metrics. */
  readonly counts = { hits: 0, misses: 0, evictions: 0, invalidations: 0 };
  // biome-ignore lint/plugin/bounded-maps: at most MAX_ENTRIES
  private readonly verified = new Map<string, Verified>();
  /** The credentials that depend on an id, in the order of verification. */
  // biome-ignore lint/plugin/bounded-maps: only of credentials in `verified`
  private readonly dependents = new Map<string, Set<string>>();
  // biome-ignore lint/plugin/bounded-maps: requests in progress
  private readonly pending = new Map<string, Verification>();
  private readonly changes = new RecentChanges();
  private running = 0;

  constructor(
    private readonly clock: Clock,
    private readonly notifications: Notifications,
    changes: CredentialChanges,
  ) {
    changes.subscribe(changed => this.forget(changed));
    for (const event of ['sessions.revoked', 'permissions.changed'] as const) {
      notifications.subscribe(event, changed => this.forget(changed));
    }
    // Cached credentials do not name the key that signed them, so a removed key removes all of them.
    notifications.subscribe('jwks.updated', () => this.forget('all'));
  }

  /**
   * Removes the credentials that depend on a changed row. A verification that is running now may have read the old row, so
   * its result will not be cached.
   */
  forget(changed: ChangedIds): void {
    this.changes.note(changed);
    const before = this.verified.size;
    if (changed === 'all') {
      this.verified.clear();
      this.dependents.clear();
    } else {
      for (const id of changed) {
        for (const credential of this.dependents.get(id) ?? []) this.remove(credential);
      }
    }
    this.counts.invalidations += before - this.verified.size;
  }

  /** The principal of a cached credential that has not expired. */
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
    this.remove(credential);
    return undefined;
  }

  /**
   * Verifies a credential. Concurrent requests with the same credential share one verification. Refusals are not cached. A
   * verification only reads, so it is retried once when its connection is lost.
   */
  verify(credential: string, verification: () => Promise<Principal>): Promise<Principal> {
    if (!this.notifications.isListening) return rereadWhenLost(verification);
    const under = this.pending.get(credential);
    // The ids of a running verification are not known yet. So after any change, the next request starts its own.
    if (under?.began === this.changes.count) return under.result;
    return this.begin(credential, verification);
  }

  private begin(credential: string, verification: () => Promise<Principal>): Promise<Principal> {
    const began = this.changes.count;
    const since = performance.now();
    this.running += 1;
    const result = rereadWhenLost(verification)
      .then(principal => {
        const ids = idsBehind(principal);
        if (!this.changes.touched(ids, began)) this.remember(credential, { principal, ids, since });
        return principal;
      })
      .finally(() => {
        if (this.pending.get(credential)?.result === result) this.pending.delete(credential);
        this.running -= 1;
        if (this.running === 0) this.changes.clear();
      });
    this.pending.set(credential, { began, result });
    return result;
  }

  /** An entry in use is verified again every few seconds and moves to the end, so the first entry is the least used one. */
  private remember(credential: string, entry: Verified): void {
    this.remove(credential);
    const own = this.dependents.get(entry.principal.id);
    if (own !== undefined && own.size >= MAX_ENTRIES_EACH) this.evict(own);
    if (this.verified.size >= MAX_ENTRIES) this.evict(this.verified);
    this.verified.set(credential, entry);
    for (const id of entry.ids) {
      const dependents = this.dependents.get(id);
      if (dependents === undefined) this.dependents.set(id, new Set([credential]));
      else dependents.add(credential);
    }
  }

  private evict(credentials: { keys(): Iterator<string> }): void {
    this.remove(credentials.keys().next().value as string);
    this.counts.evictions += 1;
  }

  private remove(credential: string): void {
    const entry = this.verified.get(credential);
    if (entry === undefined) return;
    this.verified.delete(credential);
    for (const id of entry.ids) {
      const dependents = this.dependents.get(id);
      dependents?.delete(credential);
      if (dependents?.size === 0) this.dependents.delete(id);
    }
  }
}

/** The ids of the rows on which a principal depends, as changes name them. Ids are unique across tables. */
function idsBehind({ id, credentialId, actingUserId, workspace, memberships }: Principal): string[] {
  const ids = new Set([id, credentialId, ...memberships.map(({ orgId }) => orgId)]);
  if (actingUserId !== undefined) ids.add(actingUserId);
  if (workspace !== undefined) ids.add(workspace.orgId);
  return [...ids];
}
