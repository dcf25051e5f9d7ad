import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Client } from 'pg';
import { Settings } from '../../../platform/config/settings.js';
import { Admission } from '../../../platform/database/admission/admission.js';
import { LOCK_NAMES } from '../../../platform/database/advisory-locks.js';
import { clientOptions } from '../../../platform/database/connections/options.js';
import { WatchedClient } from '../../../platform/database/connections/watched-client.js';
import { LoneWork } from '../../../platform/database/lone-work.js';
import type { Queryable } from '../../../platform/database/queryable.js';
import type { CollectionShape } from '../collection-shape.js';

/**
 * What an instance does while it holds the lock of a collection. `connection` fails, and `lost` is aborted, when the lock
 * is lost.
 */
type LockedWork<T> = (connection: Queryable, lost: AbortSignal) => Promise<T>;

/**
 * Connections for index builds, which cannot run in a transaction or within the statement timeout. A second connection
 * holds the collection's lock.
 */
@Injectable()
export class IndexBuildSessions implements OnApplicationShutdown {
  // biome-ignore lint/plugin/bounded-maps: open connections
  private readonly open = new Set<Client>();

  constructor(
    private readonly settings: Settings,
    private readonly admission: Admission,
    private readonly alone: LoneWork,
  ) {}

  /**
   * Runs `work` while no other instance builds indexes of the collection; undefined when another one does. Rejects with
   * 503 when the build is not admitted in time.
   */
  run<T>({ orgId, id }: Pick<CollectionShape, 'orgId' | 'id'>, work: LockedWork<T>): Promise<T | undefined> {
    return this.admission.builds.run(orgId, id, () =>
      this.alone.run(LOCK_NAMES.indexBuild(id), 'index build', (_, lost) => this.connected(work, lost)),
    );
  }

  /** A running build fails at once. The next build finds its index half-built. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.open].map(client => client.end()));
  }

  private async connected<T>(work: LockedWork<T>, lost: AbortSignal): Promise<T> {
    const client = new WatchedClient(
      clientOptions({ ...this.settings, DATABASE_STATEMENT_TIMEOUT_MS: 0 }, 'index build'),
    );
    this.open.add(client);
    try {
      await client.connect();
      lost.throwIfAborted();
      lost.addEventListener('abort', () => client.end().catch(() => undefined));
      return await work({ query: async (text, values) => (await client.query(text, values)).rows }, lost);
    } finally {
      this.open.delete(client);
      await client.end().catch(() => undefined);
    }
  }
}
