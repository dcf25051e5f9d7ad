import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { inject } from 'vitest';
import { migrate } from '../../src/platform/database/migrate.js';

const ATTEMPTS = 10;
const RETRY_AFTER_MS = 200;

/** A server of the cluster. The coordinator has group 0. */
interface Node {
  readonly host: string;
  readonly port: number;
  readonly group: number;
}

/**
 * Creates a migrated database on every server of the cluster and returns its URL for an app with
 * DATABASE_CITUS=on. The database of DATABASE_CITUS_TEST_URL lists the servers.
 */
export async function freshCitusDatabaseUrl(): Promise<string> {
  const { citusUrl, prefix } = inject('testServer');
  const url = citusUrl as string;
  const name = `${prefix}${randomBytes(4).toString('hex')}`;
  const nodes = await nodesOf(url);
  for (const node of nodes) {
    await onDatabase(at(url, node), [`CREATE DATABASE ${name}`]);
    await onDatabase(at(url, node, name), ['CREATE EXTENSION citus']);
  }
  const fresh = at(url, nodes[0] as Node, name);
  for (const { host, port, group } of nodes) {
    const register = group === 0 ? 'citus_set_coordinator_host' : 'citus_add_node';
    await untilDone(() => onDatabase(fresh, [`SELECT ${register}('${host}', ${port})`]));
  }
  await migrate(fresh, { DATABASE_CITUS: 'on' });
  return fresh;
}

/**
 * Waits until no other test file has the cluster for itself, and keeps it until the returned function is called. For
 * files that move organizations or stop servers.
 */
export async function ownCluster(): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: inject('testServer').citusUrl });
  await client.connect();
  await client.query(`SELECT pg_advisory_lock(hashtext('the cluster'))`);
  return () => client.end();
}

/** Drops the databases of a run. Drops the coordinator's first, because it queries the others from time to time. */
export async function dropCitusDatabases(url: string, prefix: string): Promise<void> {
  for (const node of await nodesOf(url)) {
    const names = await onDatabase(at(url, node), [
      `SELECT datname FROM pg_database WHERE starts_with(datname, '${prefix}')`,
    ]);
    const drops = names.map(({ datname }) => `DROP DATABASE ${datname} WITH (FORCE)`);
    await onDatabase(at(url, node), ['SET citus.enable_ddl_propagation = off', ...drops]);
  }
}

/**
 * Retries a registration: it changes the roles of the node, which fails while Citus does the same for another database.
 */
async function untilDone(register: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await register();
      return;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
    await pause(RETRY_AFTER_MS);
  }
}

async function nodesOf(url: string): Promise<Node[]> {
  return (await onDatabase(url, [
    'SELECT nodename AS host, nodeport AS port, groupid AS group FROM pg_dist_node ORDER BY groupid',
  ])) as unknown as Node[];
}

function at(url: string, { host, port }: Node, database?: string): string {
  const other = Object.assign(new URL(url), { hostname: host, port });
  if (database !== undefined) other.pathname = `/${database}`;
  return other.href;
}

/** Returns the rows of the last statement. */
async function onDatabase(url: string, statements: readonly string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}
