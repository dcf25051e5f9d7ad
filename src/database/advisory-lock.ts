import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';

/** Work that one instance at a time may do. The lock ends with its transaction, so a killed holder leaves none. */
@Injectable()
export class AdvisoryLock {
  constructor(@InjectDataSource() private readonly source: DataSource) {}

  /** Runs `work` in the lock's transaction, or returns undefined when another instance holds the lock. */
  tryWith<T>(name: string, work: (manager: EntityManager) => Promise<T>): Promise<T | undefined> {
    return this.source.transaction(async manager => {
      const [row] = await manager.query('SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS held', [
        name,
      ]);
      if (!row.held) return undefined;
      // Ends the portal of the statement above: left open it would hold a snapshot for as long as the work takes.
      await manager.query('SELECT');
      return work(manager);
    });
  }
}
