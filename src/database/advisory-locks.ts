import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { literal, param, type Sql, sql } from '../sql/index.js';
import { execute } from './queryable.js';

/*
 * The keys of all advisory locks of the service. A key is a number, or the hash of a text with the number of its kind.
 * Functions of the database take some of these locks too, so a number never changes and is never used again.
 */

/** Locks with a fixed key. */
export const LOCKS = {
  /** Held while migrating: of several instances that start together, one migrates and the others wait. */
  migrations: 4_207_001,
  /** Held while the first organization is created: of two first starts, one creates it. */
  firstStart: 4_207_002,
} as const;

/** Kinds of locks whose key is a hash. */
export const LOCK_KINDS = {
  /** One of LOCK_NAMES. */
  named: 0,
  /** A collection. Held shared by every insert (`quota_holds`, `quota_has_room`), alone to keep inserts out. */
  inserts: 1,
  /** A key of an upsert in a collection. */
  upsertKey: 2,
  /** A caller and its Idempotency-Key. Taken only by `claim_idempotency_key`. */
  idempotencyKey: 3,
  /** A collection. Held shared by transactions with changes in its feed, until they end. */
  changeFeed: 4,
  /** A collection. Held shared by inserts that use a quota lease (`quota_holds`). */
  leasedInserts: 5,
  /** A collection. Held shared by single upserts, alone by a bulk upsert. */
  upserts: 6,
} as const;

/** The texts of named locks. */
export const LOCK_NAMES = {
  job: (name: string) => `job ${name}`,
  email: (address: string) => `email ${address.toLowerCase()}`,
  indexBuild: (collectionId: string) => `index build ${collectionId}`,
  signingKeys: () => 'signing-keys',
} as const;

/** The key of a lock: `text` is a collection's id or a name. */
export function lockKey(kind: keyof typeof LOCK_KINDS, text: Sql): Sql {
  return sql`hashtextextended(${text}, ${literal(LOCK_KINDS[kind])})`;
}

/**
 * Interval of statements in the lock's transaction: servers and poolers may end idle transactions
 * (`idle_in_transaction_session_timeout`). A lost lock is noticed within this time.
 */
const HEARTBEAT_MS = 2_000;

/** Runs work on one instance at a time. The lock ends with its transaction, so it is free when its holder is killed. */
@Injectable()
export class AdvisoryLock {
  constructor(@InjectDataSource() private readonly source: DataSource) {}

  /**
   * Runs `work` in the lock's transaction, or returns undefined when another instance holds the lock. When the
   * connection of the lock breaks, another instance may take it: then `lost` is aborted, and the promise rejects even
   * if `work` succeeds.
   */
  tryWith<T>(
    name: string,
    work: (manager: EntityManager, lost: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    return this.source.transaction(async manager => {
      const key = lockKey('named', param(name, 'text'));
      const [row] = await execute(manager, sql`SELECT pg_try_advisory_xact_lock(${key}) AS held`);
      if (!row.held) return undefined;
      // Closes the portal of the statement above, which would hold a snapshot for as long as the work takes.
      await manager.query('SELECT');
      return this.held(manager, work);
    });
  }

  private async held<T>(
    manager: EntityManager,
    work: (manager: EntityManager, lost: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const lost = new AbortController();
    const heartbeat = setInterval(() => {
      manager.query('SELECT').catch(error => lost.abort(error));
    }, HEARTBEAT_MS);
    try {
      const result = await work(manager, lost.signal);
      lost.signal.throwIfAborted();
      return result;
    } finally {
      clearInterval(heartbeat);
    }
  }
}
