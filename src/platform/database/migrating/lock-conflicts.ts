import { setTimeout as pause } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';
import { sqlState } from '../../../base/kernel/sql-state.js';

/** How often the other connection looks for what a migration waits for. Shorter than LOCK_TIMEOUT_MS. */
const LOOK_EVERY_MS = 100;
/** How often what a migration waits for is reported again. */
const REPORT_EVERY_MS = 30_000;
/** The time until the next attempt when it is unknown what the last one waited for. */
const PAUSE_MS = 1_000;

/**
 * How long a migration waits for a lock. All later statements on the table wait behind it. It is shorter than
 * PostgreSQL's `deadlock_timeout` of 1 s: in a deadlock, the transaction that has waited longest is ended first, and that
 * must not be a request.
 */
export const LOCK_TIMEOUT_MS = 500;

/** A transaction that has a lock for which a migration waits. */
export interface Blocker {
  readonly pid: number;
  /** `application_name` of its connection; null when the user of the migration may not see it. */
  readonly application: string | null;
  /** When it began, as ISO 8601; null as above. */
  readonly since: string | null;
}

/** The id of the transaction is that of `pg_locks`, which shows all users those of others. */
type Met = Blocker & { readonly transaction: string | null };

const BLOCKERS = `
  SELECT a.pid, a.application_name AS application, to_json(coalesce(a.xact_start, a.backend_start)) #>> '{}' AS since,
    (SELECT min(l.virtualtransaction) FROM pg_locks l WHERE l.pid = a.pid) AS transaction
  FROM pg_stat_activity a WHERE a.pid = ANY (pg_blocking_pids($1)) ORDER BY a.xact_start`;
const REMAINING = `
  SELECT count(DISTINCT l.pid)::int AS n FROM pg_locks l JOIN unnest($1::int[], $2::text[]) AS b (pid, transaction)
    ON l.pid = b.pid AND l.virtualtransaction = b.transaction`;

/**
 * Repeats migrations that meet locks. `migrating` is the connection of the migrations and `watching` another one, which
 * sees for what the first waits.
 */
export class LockConflicts {
  private met: readonly Met[] = [];
  private pid: number | undefined;
  private reportedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly migrating: QueryRunner,
    private readonly watching: QueryRunner,
    private readonly report: (blockers: readonly Blocker[]) => void,
  ) {}

  /**
   * Runs `attempt` until it meets no lock any more. Between two attempts it waits until the transactions that had the
   * lock have ended. Meanwhile it waits for no lock, so that nothing waits behind it.
   */
  async repeat<T>(attempt: () => Promise<T>): Promise<T> {
    this.reportedAt = Number.NEGATIVE_INFINITY;
    for (;;) {
      this.met = [];
      try {
        return await this.watched(attempt);
      } catch (error) {
        if (!isLockConflict(error)) throw error;
      }
      await this.untilGone(this.met);
    }
  }

  private async watched<T>(attempt: () => Promise<T>): Promise<T> {
    this.pid ??= (await this.migrating.query('SELECT pg_backend_pid() AS pid'))[0].pid as number;
    const done = new AbortController();
    // Without the watch the migration goes on: only the report is missing.
    const watch = this.watch(this.pid, done.signal).catch(() => undefined);
    try {
      return await attempt();
    } finally {
      done.abort();
      await watch;
    }
  }

  private async watch(pid: number, done: AbortSignal): Promise<void> {
    while (!done.aborted) {
      await pause(LOOK_EVERY_MS, undefined, { signal: done }).catch(() => undefined);
      if (done.aborted) return;
      const blockers: Met[] = await this.watching.query(BLOCKERS, [pid]);
      if (blockers.length > 0) this.meet(blockers);
    }
  }

  private meet(blockers: readonly Met[]): void {
    this.met = blockers;
    if (performance.now() - this.reportedAt < REPORT_EVERY_MS) return;
    this.reportedAt = performance.now();
    this.report(blockers.map(({ transaction: _, ...shown }) => shown));
  }

  private async untilGone(blockers: readonly Met[]): Promise<void> {
    if (blockers.length === 0) {
      await pause(PAUSE_MS);
      return;
    }
    const ids = [blockers.map(({ pid }) => pid), blockers.map(({ transaction }) => transaction)];
    for (;;) {
      const [{ n }] = await this.watching.query(REMAINING, ids);
      if (n === 0) return;
      this.meet(blockers);
      await pause(LOOK_EVERY_MS);
    }
  }
}

/** A lock timeout, a deadlock, or catalog rows that another transaction has just changed (XX000). */
function isLockConflict(error: unknown): boolean {
  const state = sqlState(error);
  const byCatalog = state === 'XX000' && /tuple concurrently/.test((error as Error).message);
  return state === '55P03' || state === '40P01' || byCatalog;
}
