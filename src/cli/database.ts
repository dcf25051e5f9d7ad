import { resolve } from 'node:path';
import { environment } from '../config/environment.js';
import { loadSettings } from '../config/load-settings.js';
import { type Settings } from '../config/settings.js';
import { addressPastPooler } from '../database/connection.js';
import { runningEmbeddedPostgres, startEmbeddedPostgres } from '../database/embedded/embedded-postgres.js';

/** Settings with the database that is really there. */
export type ConnectedSettings = Settings & { readonly DATABASE_URL: string };

/**
 * Runs `work` on the database of the service, past a pooler: DATABASE_LISTEN_URL or DATABASE_URL, else the embedded server
 * that a running service has started, else the embedded server started for as long as the work takes.
 */
export async function withDatabase<T>(work: (settings: ConnectedSettings) => Promise<T>): Promise<T> {
  const settings = loadSettings(environment());
  const dataDir = resolve(settings.DATA_DIR);
  const url = addressPastPooler(settings) ?? (await runningEmbeddedPostgres(dataDir));
  if (url !== undefined) return work({ ...settings, DATABASE_URL: url });
  const server = await startEmbeddedPostgres({ dataDir });
  try {
    return await work({ ...settings, DATABASE_URL: server.url });
  } finally {
    await server.stop();
  }
}

/** There is no snapshot of several servers at once that could be written to a file. */
export function refuseCitus(citus: Settings['DATABASE_CITUS']): void {
  if (citus === 'on')
    throw new Error(
      'With DATABASE_CITUS=on the data is on several servers: back up and restore all of them together (docs/scaling.md).',
    );
}
