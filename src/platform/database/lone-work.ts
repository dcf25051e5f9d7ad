import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Client } from 'pg';
import { sql } from '../../base/sql/index.js';
import { Settings } from '../config/settings.js';
import { namedLock } from './advisory-locks.js';
import { clientOptions } from './connections/options.js';
import { WatchedClient } from './connections/watched-client.js';
import { execute, type Queryable } from './queryable.js';

/**
 * Interval of statements in the transaction of a lock: servers and poolers may end idle transactions
 * (`idle_in_transaction_session_timeout`). A lost lock is noticed within this time.
 */
const HEARTBEAT_MS = 2_000;

/**
 * Work of an instance that holds a lock. What it does on `holder` is committed with the end of the lock, or not at all.
 * When the lock is lost, `holder` fails and `lost` is aborted.
 */
type LockedWork<T> = (holder: Queryable, lost: AbortSignal) => Promise<T>;

/**
 * Work that one instance at a time does. While it runs it has a connection of its own, on which a transaction holds its
 * lock. With a connection of the pool, several long jobs would leave too few of them for requests. The transaction keeps
 * the connection behind a pooler, and ends when the instance is killed.
 */
@Injectable()
export class LoneWork implements OnApplicationShutdown {
  // biome-ignore lint/plugin/bounded-maps: work in progress
  private readonly open = new Set<Client>();

  constructor(private readonly settings: Settings) {}

  /**
   * Runs `work` while it holds a named lock, or returns undefined when another instance holds it. When the connection of
   * the lock breaks, another instance may take it: then the promise rejects even if `work` succeeds. `purpose` is part of
   * the name of the connection.
   */
  async run<T>(lock: string, purpose: 'job' | 'index build', work: LockedWork<T>): Promise<T | undefined> {
    // Without a timeout, because a statement that the server stops ends the transaction.
    const client = new WatchedClient(
      clientOptions({ ...this.settings, DATABASE_STATEMENT_TIMEOUT_MS: 0 }, purpose),
    );
    const holder: Queryable = { query: async (text, values) => (await client.query(text, values)).rows };
    this.open.add(client);
    try {
      await client.connect();
      // biome-ignore lint/plugin/one-transaction-class: the lock of a job has a connection of its own for as long as the job runs
      await client.query('BEGIN');
      // Has no parameters: with parameters its portal would hold a snapshot for as long as the work takes, and the index
      // builds of PostgreSQL wait for all older snapshots.
      const [row] = await execute(holder, sql`SELECT pg_try_advisory_xact_lock(${namedLock(lock)}) AS held`);
      if (!row.held) return undefined;
      const result = await withHeartbeat(holder, work);
      await client.query('COMMIT');
      return result;
    } finally {
      this.open.delete(client);
      // The server rolls back what is not committed.
      await client.end().catch(() => undefined);
    }
  }

  /** Work that still runs loses its lock. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.open].map(client => client.end()));
  }
}

/** Keeps the transaction of a lock from being idle. Rejects when the lock was lost while `work` ran. */
async function withHeartbeat<T>(holder: Queryable, work: LockedWork<T>): Promise<T> {
  const lost = new AbortController();
  const heartbeat = setInterval(() => {
    holder.query('SELECT').catch(error => lost.abort(error));
  }, HEARTBEAT_MS);
  try {
    const result = await work(holder, lost.signal);
    lost.signal.throwIfAborted();
    return result;
  } finally {
    clearInterval(heartbeat);
  }
}
