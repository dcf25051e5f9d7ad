import { appendFile, chmod, chown, cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/platform/database/embedded/embedded-postgres.js';
import { migrate } from '../../../src/platform/database/migrate.js';

/** A migrated primary and a hot standby that streams from it. */
export interface Pair {
  readonly primary: EmbeddedPostgres;
  readonly standby: EmbeddedPostgres;
  /** Restarts the stopped standby at the same address. */
  restartStandby(): Promise<void>;
  /** Runs a statement on the standby. */
  onStandby(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Creates both: the standby from a copy of the primary, taken while the primary was stopped. */
export async function startPair(): Promise<Pair> {
  const directory = await mkdtemp(join(tmpdir(), 'typed-collections-pair-'));
  await chmod(directory, 0o755);
  const [first, second] = [join(directory, 'primary'), join(directory, 'standby')];
  const made = await startEmbeddedPostgres({ dataDir: first, fsync: false });
  await migrate(made.url);
  await made.stop();
  await copyCluster(first, second);
  // Without fsync, commits would not wait for the log, and the standby would receive it late.
  const primary = await startEmbeddedPostgres({ dataDir: first });
  await follow(second, new URL(primary.url));
  const standby = await startEmbeddedPostgres({ dataDir: second, fsync: false });
  let again: EmbeddedPostgres | undefined;
  return {
    primary,
    standby,
    restartStandby: async () => {
      again = await startEmbeddedPostgres({ dataDir: second, fsync: false });
    },
    onStandby: async text => {
      const client = new pg.Client({ connectionString: standby.url });
      await client.connect();
      await client.query(text).finally(() => client.end());
    },
    close: async () => {
      await (again ?? standby).stop();
      await primary.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const clusterOf = (dataDir: string) => join(dataDir, 'postgres', 'cluster');

async function copyCluster(from: string, to: string): Promise<void> {
  await mkdir(join(to, 'postgres'), { recursive: true });
  const { uid, gid } = await stat(clusterOf(from));
  await cp(clusterOf(from), clusterOf(to), { recursive: true, preserveTimestamps: true });
  // When root runs the tests, the server runs under another account; a copy does not keep the owner.
  if (process.getuid?.() === 0) await giveTo(clusterOf(to), uid, gid);
  await chmod(clusterOf(to), 0o700);
}

async function giveTo(directory: string, uid: number, gid: number): Promise<void> {
  const entries = await readdir(directory, { recursive: true });
  await Promise.all(['.', ...entries].map(entry => chown(join(directory, entry), uid, gid)));
}

/** PostgreSQL's manual, "Setting Up a Standby Server". */
async function follow(dataDir: string, { hostname, port, username, password }: URL): Promise<void> {
  await writeFile(join(clusterOf(dataDir), 'standby.signal'), '');
  const connection = `host=${hostname} port=${port} user=${username} password=${password}`;
  await appendFile(
    join(clusterOf(dataDir), 'postgresql.auto.conf'),
    `\nprimary_conninfo = '${connection}'\n`,
  );
}
