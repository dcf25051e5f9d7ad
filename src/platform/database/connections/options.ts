import type { Settings } from '../../config/settings.js';
import { PooledClient, type WatchedConfig } from './watched-client.js';

/**
 * Session parameters of every connection. With UTC, timestamps need no conversion per row. Parallel and synchronised
 * scans are off because they change the last digit of a sum of doubles from run to run.
 */
export const SESSION_PARAMETERS: Readonly<Record<string, string>> = {
  TimeZone: 'UTC',
  max_parallel_workers_per_gather: '0',
  synchronize_seqscans: 'off',
  jit: 'off',
};

type PoolSettings = Pick<
  Settings,
  'DATABASE_POOL_SIZE' | 'DATABASE_CONNECTION_LIFETIME_SECONDS' | 'DATABASE_STATEMENT_TIMEOUT_MS'
>;

export const CONNECT_WITHIN_MS = 5_000;
/** The server stops a statement at its timeout. Behind a silent pooler the client gives up this much later. */
const PAST_TIMEOUT_MS = 5_000;
/** A server that vanished is noticed after 20 s: after 10 s of silence Node sends ten probes, one per second. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** The same for the server's side, so that transactions and locks of a client that vanished do not last longer. */
const SERVER_KEEP_ALIVE = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 1, tcp_keepalives_count: 10 };

/** The start-up options of one connection (`-c name=value …`), with the statement timeout in milliseconds. */
function sessionOptions(
  statementTimeoutMs: number,
  more: Readonly<Record<string, number | string>> = {},
): string {
  const parameters = {
    ...SESSION_PARAMETERS,
    ...SERVER_KEEP_ALIVE,
    statement_timeout: statementTimeoutMs,
    lock_timeout: 0,
    ...more,
  };
  return Object.entries(parameters)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/**
 * Options of the connection pool (node-postgres). Connections have a lifetime because each table they use takes memory.
 */
export function poolOptions(settings: PoolSettings): object {
  return {
    Client: PooledClient,
    max: settings.DATABASE_POOL_SIZE,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    maxLifetimeSeconds: settings.DATABASE_CONNECTION_LIFETIME_SECONDS,
    application_name: 'typed-collections',
    options: sessionOptions(settings.DATABASE_STATEMENT_TIMEOUT_MS, {
      lock_timeout: lockTimeout(settings.DATABASE_STATEMENT_TIMEOUT_MS),
    }),
    silenceLimitMs: settings.DATABASE_STATEMENT_TIMEOUT_MS + PAST_TIMEOUT_MS,
    ...KEEP_ALIVE,
  };
}

/** What a connection outside the pool is for. */
type ConnectionPurpose = 'pipeline' | 'import' | 'export' | 'index build' | 'job' | 'readiness';

type Addresses = Pick<Settings, 'DATABASE_URL' | 'DATABASE_LISTEN_URL'>;

/**
 * The address of the database without a transaction pooler, which would lose the state of a session: LISTEN, locks and
 * session parameters. These connections are few or long-lived, so a pooler would save little.
 */
export function addressPastPooler(settings: Addresses): string | undefined {
  return settings.DATABASE_LISTEN_URL ?? settings.DATABASE_URL;
}

/**
 * Options of a watched connection outside the pool, with the same session parameters and those of `more`. `purpose` is
 * part of its `application_name` in `pg_stat_activity`.
 */
export function clientOptions(
  settings: Addresses & Pick<Settings, 'DATABASE_STATEMENT_TIMEOUT_MS'>,
  purpose: ConnectionPurpose,
  more?: Readonly<Record<string, number | string>>,
): WatchedConfig {
  return {
    connectionString: addressPastPooler(settings),
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    application_name: `typed-collections ${purpose}`,
    options: sessionOptions(settings.DATABASE_STATEMENT_TIMEOUT_MS, more),
    ...KEEP_ALIVE,
  };
}

/**
 * The lock timeout of the pool's connections, in milliseconds. Statements on records give their connection back and are
 * retried. Transactions on the platform's tables are not retried and have a timeout of their own (`Transactions`).
 */
function lockTimeout(statementTimeoutMs: number): number {
  return Math.min(1_000, Math.ceil(statementTimeoutMs / 2));
}
