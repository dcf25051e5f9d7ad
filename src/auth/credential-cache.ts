import { Injectable } from '@nestjs/common';
import { Notifications } from '../database/notifications.js';
import { CredentialChanges } from '../identity/rights-transaction.js';
import type { ChangedIds } from '../kernel/changed-ids.js';
import { Clock } from '../kernel/clock.js';
import type { Principal } from '../kernel/principal.js';
import { rereadWhenLost } from '../kernel/sql-state.js';

/** Ids remembered one by one; beyond, everything counts as changed. */
const MAX_IDS = 10_000;

/** Which ids have changed since a moment. A moment is the number of changes heard of before it. */
class RecentChanges {
  /** Changes heard of so far. */
  count = 0;
  private all = 0;
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

  /** True when one of the ids has changed since that moment. */
  touched(ids: readonly string[], since: number): boolean {
    return this.all > since || ids.some(id => (this.last.get(id) ?? 0) > since);
  }

  /** For when nobody will ask about a moment before now. */
  clear(): void {
    this.last.clear();
  }
}

/**
 * How long a verified credential is believed without asking again. Changes count within 5 s (contract); half a second of
 * them is left for a request to get from its credential to its statement.
 */
const MAX_AGE_MS = 4_500;
const MAX_ENTRIES = 10_000;
/** Of one principal: a key is remembered once for each address that it comes from. */
const MAX_ENTRIES_EACH = 1_000;

interface Verified {
  readonly principal: Principal;
  readonly ids: readonly string[];
  /** When its verification began, on the process's monotonic clock. */
  readonly since: number;
}

interface Verification {
  /** How many changes had been heard of when it began. */
  readonly began: number;
  readonly result: Promise<Principal>;
}

/**
 * Credentials that were verified a moment ago, so that a warm request costs no round trip. A change names the rows that it
 * touched; the credentials that depend on one of them are forgotten, all others stay. While this instance does not hear of
 * changes, nothing is remembered: each request proves its credential.
 */
@Injectable()
export class CredentialCache {
  /** For the metrics. */
  readonly counts = { hits: 0, misses: 0, evictions: 0, invalidations: 0 };
  private readonly verified = new Map<string, Verified>();
  /** The credentials that depend on an id, those verified longest ago first. */
  private readonly dependents = new Map<string, Set<string>>();
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
    // A credential that a removed key has signed is not known by any id.
    notifications.subscribe('jwks.updated', () => this.forget('all'));
  }

  /**
   * What depends on a changed row does not count any more; a verification that may have read it before the change is not
   * remembered when it ends.
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

  /** The principal of a credential verified a moment ago and not expired since. */
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
   * Verifies once, however many requests ask for the same credential meanwhile; a refusal is not remembered. A verification
   * only reads, so it is done once more when its connection is lost.
   */
  verify(credential: string, verification: () => Promise<Principal>): Promise<Principal> {
    if (!this.notifications.isListening) return rereadWhenLost(verification);
    const under = this.pending.get(credential);
    // It is not known yet what a verification depends on: after any change, the next request begins its own.
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

  /** Verified again every few seconds, an entry in use moves to the end: the first is the one not used for longest. */
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

/** Ids of the rows that make a principal what it is, as changes name them. Ids are unique across tables. */
function idsBehind({ id, credentialId, actingUserId, workspace, memberships }: Principal): string[] {
  const ids = new Set([id, credentialId, ...memberships.map(({ orgId }) => orgId)]);
  if (actingUserId !== undefined) ids.add(actingUserId);
  if (workspace !== undefined) ids.add(workspace.orgId);
  return [...ids];
}
