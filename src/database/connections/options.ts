import type { Settings } from '../../config/settings.js';
import { lockTimeout } from '../lock-timeout.js';
import { PooledClient, type WatchedConfig } from './watched-client.js';

/**
 * Session parameters of every connection. UTC makes timestamps readable without a conversion per row; parallel
 * and synchronised scans are off because they change the last digit of a sum of doubles from run to run.
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
/** A statement is stopped by the server; behind a pooler that has gone silent, by the client so much later. */
const PAST_TIMEOUT_MS = 5_000;
/** A server that is gone without a word is noticed 20 s later: Node then asks ten times, once a second. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** The same for the server: a client that is gone without a word keeps no transaction and no lock for longer. */
const SERVER_KEEP_ALIVE = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 1, tcp_keepalives_count: 10 };

/** The start-up options of one connection (`-c name=value …`), with the statement timeout in milliseconds. */
function sessionOptions(statementTimeoutMs: number, more: Readonly<Record<string, number>> = {}): string {
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

/** Options of the connection pool (node-postgres). Connections are replaced in time: each table seen costs memory. */
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
type ConnectionPurpose = 'pipeline' | 'import' | 'export' | 'index build' | 'readiness';

type Addresses = Pick<Settings, 'DATABASE_URL' | 'DATABASE_LISTEN_URL'>;

/**
 * The way past a transaction pooler, which loses what belongs to a session: LISTEN, locks, and parameters other than those of
 * the pool, which the role can have. It has little to gain from these connections: they are few, or lent for long.
 */
export function addressPastPooler(settings: Addresses): string | undefined {
  return settings.DATABASE_LISTEN_URL ?? settings.DATABASE_URL;
}

/**
 * Options of a watched connection outside the pool, in the same session state but for `more` parameters. `purpose` is its name in
 * `pg_stat_activity`, behind that of the service.
 */
export function clientOptions(
  settings: Addresses & Pick<Settings, 'DATABASE_STATEMENT_TIMEOUT_MS'>,
  purpose: ConnectionPurpose,
  more?: Readonly<Record<string, number>>,
): WatchedConfig {
  return {
    connectionString: addressPastPooler(settings),
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    application_name: `typed-collections ${purpose}`,
    options: sessionOptions(settings.DATABASE_STATEMENT_TIMEOUT_MS, more),
    ...KEEP_ALIVE,
  };
}
