import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { Settings } from '../../config/settings.js';
import { Admission } from '../../database/admission/admission.js';
import { LOCK_NAMES, namedLock } from '../../database/advisory-locks.js';
import { clientOptions } from '../../database/connections/options.js';
import { WatchedClient } from '../../database/connections/watched-client.js';
import { withHeartbeat } from '../../database/heartbeat.js';
import type { Queryable } from '../../database/queryable.js';
import { render, sql } from '../../sql/index.js';
import type { CollectionShape } from '../collection-shape.js';

/**
 * What an instance does while it holds the lock of a collection. `connection` fails, and `lost` is aborted, when the lock
 * is lost.
 */
type LockedWork<T> = (connection: Queryable, lost: AbortSignal) => Promise<T>;

/**
 * Connections for index builds, which cannot run in a transaction or within the statement timeout. A second connection
 * holds the collection's lock in a transaction: so a pooler keeps the connection, and the lock is released when the
 * instance is killed.
 */
@Injectable()
export class IndexBuildSessions implements OnApplicationShutdown {
  private readonly open = new Set<pg.Client>();

  constructor(
    private readonly settings: Settings,
    private readonly admission: Admission,
  ) {}

  /**
   * Runs `work` while no other instance builds indexes of the collection; undefined when another one does. Rejects with
   * 503 when the build is not admitted in time.
   */
  run<T>({ orgId, id }: Pick<CollectionShape, 'orgId' | 'id'>, work: LockedWork<T>): Promise<T | undefined> {
    return this.admission.builds.run(orgId, id, () => this.locked(id, work));
  }

  /** A running build fails at once. The next build finds its index half-built. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.open].map(client => client.end()));
  }

  private async locked<T>(collectionId: string, work: LockedWork<T>): Promise<T | undefined> {
    const clients = [this.client(), this.client()] as const;
    const [lock, build] = clients;
    try {
      await lock.connect();
      const held = await tryLock(lock, collectionId);
      if (!held) return undefined;
      await build.connect();
      return await withHeartbeat(queryable(lock), lost => {
        lost.addEventListener('abort', () => build.end().catch(() => undefined));
        return work(queryable(build), lost);
      });
    } finally {
      for (const client of clients) this.open.delete(client);
      await Promise.all(clients.map(client => client.end().catch(() => undefined)));
    }
  }

  private client(): pg.Client {
    const client = new WatchedClient(
      clientOptions({ ...this.settings, DATABASE_STATEMENT_TIMEOUT_MS: 0 }, 'index build'),
    );
    this.open.add(client);
    return client;
  }
}

function queryable(client: pg.Client): Queryable {
  return { query: async (text, values) => (await client.query(text, values)).rows };
}

/**
 * Begins the transaction of the lock and tries to take it. The statement has no parameters: with parameters its portal
 * and its snapshot would stay open, and CREATE INDEX CONCURRENTLY waits for all older snapshots.
 */
async function tryLock(client: pg.Client, collectionId: string): Promise<boolean> {
  await client.query('BEGIN');
  const key = namedLock(LOCK_NAMES.indexBuild(collectionId));
  const { rows } = await client.query(render(sql`SELECT pg_try_advisory_xact_lock(${key}) AS held`).text);
  return rows[0].held;
}
