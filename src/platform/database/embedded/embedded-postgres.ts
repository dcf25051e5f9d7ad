import { readFile, writeFile } from 'node:fs/promises';
import pg from 'pg';
import { prepareBinaries } from './binaries.js';
import { ensureCluster, homeBelow, openHome, readPassword, SUPERUSER } from './cluster.js';
import { type InstanceLock, isInstanceLockHeld, takeInstanceLock } from './instance-lock.js';
import { type Launch, type Postmaster, startPostmaster, stopOrphan, stopPostmaster } from './postmaster.js';
import { serverAccount } from './programs.js';

const DATABASE = 'platform';

export interface EmbeddedPostgresOptions {
  dataDir: string;
  /** Turn off only for data that may be lost, as in tests. */
  fsync?: boolean;
  log?: (line: string) => void;
  /** Called when the server ended without `stop`. */
  onExit?: (reason: string) => void;
}

/** A running server. `url` contains the superuser's password, so it must not be logged. */
export interface EmbeddedPostgres {
  url: string;
  /** Messages to show to the user who started it. */
  notes: string[];
  /** Ends the server within 20 s. Then another instance can use the data. */
  stop(): Promise<void>;
}

/**
 * Starts an embedded PostgreSQL on the data in `dataDir`, and creates the data the first time. The server belongs to
 * this process. A second process on the same data is refused. A server whose process died is stopped first.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => {});
  const account = await serverAccount(homeBelow(options.dataDir).cluster);
  const home = await openHome(options.dataDir, account);
  const lock = await takeInstanceLock(home.lock);
  try {
    const binaries = await prepareBinaries(home.directory, account);
    const launch: Launch = { home, binaries, account, fsync: options.fsync ?? true };
    const orphan = await stopOrphan(home, binaries, account);
    if (orphan) log(`Stopped the PostgreSQL of an instance that is no longer running (process ${orphan})`);
    const password = await ensureCluster(home, binaries, { ...launch, log });
    const postmaster = await startPostmaster(launch, await rememberedPort(home.port));
    await writeFile(home.port, String(postmaster.port));
    const stop = supervise(launch, postmaster, lock, options.onExit);
    const url = urlOf(password, postmaster.port);
    await createDatabase(url).catch(async error => {
      await stop();
      throw error;
    });
    return { url, notes: home.note ? [home.note] : [], stop };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * URL of the server that another running process has started on this data, for commands; undefined when there is none.
 * It contains the superuser's password, so it must not be logged.
 */
export async function runningEmbeddedPostgres(dataDir: string): Promise<string | undefined> {
  const home = await openHome(dataDir, await serverAccount(homeBelow(dataDir).cluster));
  if (!(await isInstanceLockHeld(home.lock))) return undefined;
  return urlOf(await readPassword(home), await rememberedPort(home.port));
}

function urlOf(password: string, port: number): string {
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${DATABASE}`;
}

/**
 * Ends the server with this process: when the process exits without `stop`, the server gets a signal to stop, without
 * waiting.
 */
function supervise(
  launch: Launch,
  { child }: Postmaster,
  lock: InstanceLock,
  onExit: (reason: string) => void = () => {},
): () => Promise<void> {
  const endWithProcess = () => child.kill('SIGINT');
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()));
  const report = (code: number | null, signal: NodeJS.Signals | null) => {
    process.off('exit', endWithProcess);
    onExit(`PostgreSQL ended by itself with ${signal ?? `status ${code}`}; its log is ${launch.home.log}`);
  };
  process.once('exit', endWithProcess);
  child.once('exit', report).unref();

  const stop = async () => {
    child.off('exit', report).ref();
    process.off('exit', endWithProcess);
    if (child.exitCode === null && child.signalCode === null) {
      await stopPostmaster(launch.home, launch.binaries, launch.account);
      await ended;
    }
    await lock.release();
  };
  let stopping: Promise<void> | undefined;
  return () => (stopping ??= stop());
}

async function rememberedPort(file: string): Promise<number> {
  const port = Number(await readFile(file, 'utf8').catch(() => '0'));
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
}

async function createDatabase(url: string): Promise<void> {
  const maintenance = new URL(url);
  maintenance.pathname = '/postgres';
  const client = new pg.Client({ connectionString: maintenance.href });
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}
