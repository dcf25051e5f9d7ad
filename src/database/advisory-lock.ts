import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';

/**
 * A lock's transaction says something so often, since servers and poolers may end those that are idle
 * (`idle_in_transaction_session_timeout`). It is also how soon a lock that is lost is noticed.
 */
const HEARTBEAT_MS = 2_000;

/** Work that one instance at a time may do. The lock ends with its transaction, so a killed holder leaves none. */
@Injectable()
export class AdvisoryLock {
  constructor(@InjectDataSource() private readonly source: DataSource) {}

  /**
   * Runs `work` in the lock's transaction, or returns undefined when another instance holds the lock. `lost` is aborted when
   * the lock's connection is gone: another instance may have the lock then. Rejects in that case, whatever the work did.
   */
  tryWith<T>(
    name: string,
    work: (manager: EntityManager, lost: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    return this.source.transaction(async manager => {
      const [row] = await manager.query('SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS held', [
        name,
      ]);
      if (!row.held) return undefined;
      // Ends the portal of the statement above: left open it would hold a snapshot for as long as the work takes.
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
