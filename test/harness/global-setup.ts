import { randomBytes } from 'node:crypto';
import { access, chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded/embedded-postgres.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { dropCitusDatabases } from './citus-database.js';
import { searchForSecrets } from './secret-search.js';

/** Where the databases of this run are: their names begin with `prefix`, and `<prefix>template` is migrated. */
export interface TestServer {
  url: string;
  /** DATABASE_POOLER_TEST_HOST: `host:port` of a pooler in front of that server, to which the service connects. */
  pooler: string | undefined;
  prefix: string;
  /** Directory for logs and for the data that the search for secrets needs after the run. */
  notes: string;
  /** Directory for files of tests. It is removed after the run. */
  scratch: string;
  /**
   * DATABASE_CITUS_TEST_URL: a database of a coordinator with registered nodes. Without it tests about Citus are
   * skipped.
   */
  citusUrl: string | undefined;
  /** True when every app of the run stores its data there (DATABASE_CITUS=on). */
  allOnCitus: boolean;
}

declare module 'vitest' {
  export interface ProvidedContext {
    testServer: TestServer;
  }
}

const DIRECTORY = 'typed-collections-test-';

type Undo = () => Promise<void>;

/** Starts one server and migrates one template for the run. Removes both at the end, also after a failed start. */
export default async function setup(project: TestProject): Promise<Undo> {
  const undo: Undo[] = [];
  const undoAll = async () => {
    const step = undo.pop();
    if (step === undefined) return;
    try {
      await step();
    } finally {
      // Stops the server whichever step failed.
      await undoAll();
    }
  };
  try {
    const url = process.env.DATABASE_URL ?? (await startOwnServer(undo));
    const notes = await ownDirectory('typed-collections-notes-', undo);
    const scratch = await ownDirectory('typed-collections-scratch-', undo);
    const citusUrl = process.env.DATABASE_CITUS_TEST_URL;
    const allOnCitus = citusUrl !== undefined && process.env.DATABASE_CITUS === 'on';
    const pooler = process.env.DATABASE_POOLER_TEST_HOST;
    const prefix = `tc_test_${randomBytes(4).toString('hex')}_`;
    const server = { url, prefix, notes, scratch, pooler, citusUrl, allOnCitus };
    if (citusUrl) undo.push(() => dropCitusDatabases(citusUrl, prefix));
    if (process.env.DATABASE_URL) undo.push(() => dropDatabases(server));
    await createTemplate(server);
    undo.push(() => findNoSecrets(server));
    project.provide('testServer', server);
    return undoAll;
  } catch (error) {
    await undoAll();
    throw error;
  }
}

async function startOwnServer(undo: Undo[]): Promise<string> {
  await removeAbandoned();
  const dataDir = await ownDirectory(DIRECTORY, undo);
  // mkdtemp lets only its owner in, but when root runs the tests the server runs under another account.
  await chmod(dataDir, 0o755);
  const server = await startEmbeddedPostgres({ dataDir, fsync: false });
  undo.push(() => server.stop());
  return server.url;
}

async function ownDirectory(name: string, undo: Undo[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), name));
  undo.push(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/**
 * Takes over the servers of runs that were killed, in order to stop them. Servers of active runs refuse the
 * takeover.
 */
async function removeAbandoned(): Promise<void> {
  for (const name of (await readdir(tmpdir())).filter(entry => entry.startsWith(DIRECTORY))) {
    const dataDir = join(tmpdir(), name);
    try {
      await access(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'));
      const server = await startEmbeddedPostgres({ dataDir, fsync: false });
      await server.stop();
      await rm(dataDir, { recursive: true });
    } catch {
      // The directory is in use, is being created, or belongs to another user.
    }
  }
}

async function createTemplate(server: TestServer): Promise<void> {
  const name = `${server.prefix}template`;
  await onServer(server.url, client => client.query(`CREATE DATABASE ${name}`));
  const template = new URL(server.url);
  template.pathname = `/${name}`;
  await migrate(template.href);
}

async function dropDatabases(server: TestServer): Promise<void> {
  await onServer(server.url, async client => {
    for (const name of await databasesOf(server, client)) {
      await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
    }
  });
}

/** Fails the run when a secret that it used appears in a place that must not hold secrets. */
async function findNoSecrets(server: TestServer): Promise<void> {
  const names = await onServer(server.url, client => databasesOf(server, client));
  const urls = names.map(name => Object.assign(new URL(server.url), { pathname: `/${name}` }).href);
  const { secrets, findings } = await searchForSecrets(server.notes, urls);
  process.stdout.write(`looked for ${secrets} secrets in logs, errors and ${urls.length} databases\n`);
  if (findings.length === 0) return;
  process.exitCode = 1;
  process.stderr.write(`Secrets are where they must not be:\n  ${findings.join('\n  ')}\n`);
}

async function databasesOf({ prefix }: TestServer, client: pg.Client): Promise<string[]> {
  const ours = await client.query<{ datname: string }>(
    'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
    [prefix],
  );
  return ours.rows.map(({ datname }) => datname);
}

async function onServer<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
