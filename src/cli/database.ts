import { resolve } from 'node:path';
import { environment, loadSettings } from '../platform/config/load-settings.js';
import type { Settings } from '../platform/config/settings.js';
import { addressPastPooler } from '../platform/database/connections/options.js';
import {
  runningEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../platform/database/embedded/embedded-postgres.js';

/** Settings with the address of the database that the command uses. */
type ConnectedSettings = Settings & { readonly DATABASE_URL: string };

/**
 * Runs `work` on the database of the service, without a connection pooler: DATABASE_LISTEN_URL or DATABASE_URL, else
 * the embedded server of a running service, else the embedded server, started for the duration of the work.
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
