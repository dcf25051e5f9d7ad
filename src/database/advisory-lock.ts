import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { param, sql } from '../sql/index.js';
import { lockKey } from './advisory-locks.js';
import { execute } from './queryable.js';

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
