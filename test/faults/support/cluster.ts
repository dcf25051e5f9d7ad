import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/platform/database/embedded/embedded-postgres.js';
import { copyOfCluster } from './prepared-cluster.js';

const ROLE = 'service';
const DATABASE = 'faults';

/**
 * A separate PostgreSQL with production durability. The service's role is not a superuser, so that limits apply
 * to it.
 */
export interface Cluster {
  /** Connection URL of the service, including its password. */
  readonly url: string;
  readonly password: string;
  /** Runs SQL as superuser in the service's database, on a separate connection. */
  sql(text: string, values?: unknown[]): Promise<Row[]>;
  /** Stops the server as `pg_ctl stop -m …` does, and starts it on the same port. */
  restart(mode: 'fast' | 'immediate'): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: the columns depend on the statement
type Row = any;

/** Starts a cluster with an empty database. It is removed after the test. */
export async function startCluster(): Promise<Cluster> {
  const dataDir = await copyOfCluster();
  let server = await startEmbeddedPostgres({ dataDir });
  onTestFinished(async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20 });
  });
  const password = randomBytes(24).toString('base64url');
  await query(server.url, `CREATE ROLE ${ROLE} LOGIN PASSWORD '${password}'`);
  await query(server.url, `CREATE DATABASE ${DATABASE} OWNER ${ROLE}`);
  const url = Object.assign(new URL(server.url), { username: ROLE, password, pathname: DATABASE }).href;
  const restart = async (mode: 'fast' | 'immediate') => {
    if (mode === 'immediate') await stopAtOnce(dataDir);
    server = await restarted(server, dataDir);
  };
  return {
    url,
    password,
    restart,
    sql: (text, values) =>
      query(Object.assign(new URL(server.url), { pathname: DATABASE }).href, text, values),
  };
}

async function restarted(server: EmbeddedPostgres, dataDir: string): Promise<EmbeddedPostgres> {
  await server.stop();
  const next = await startEmbeddedPostgres({ dataDir });
  if (next.url !== server.url) throw new Error('the port was taken while the server was away');
  return next;
}

/** SIGQUIT skips the checkpoint, so that the next start recovers from the write-ahead log. */
async function stopAtOnce(dataDir: string): Promise<void> {
  const file = join(dataDir, 'postgres', 'cluster', 'postmaster.pid');
  const pid = Number.parseInt(await readFile(file, 'utf8'), 10);
  process.kill(pid, 'SIGQUIT');
  while (await readFile(file).catch(() => undefined)) await pause(10);
}

async function query(url: string, text: string, values?: unknown[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
