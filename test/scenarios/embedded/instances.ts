import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../../../src/platform/database/embedded/embedded-postgres.js';

export interface Instance {
  child: ChildProcess;
  url: string;
}

/** An empty data directory, accessible to the account that runs root's server. It is removed after the test. */
export async function dataDirectory(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'typed-collections-embedded-'));
  await chmod(dataDir, 0o755);
  onTestFinished(async () => {
    const left = await postmasterPid(dataDir);
    if (left) killHard(left);
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20 });
  });
  return dataDir;
}

/** Starts the server from the process of the test; it is stopped after the test. */
export async function start(
  dataDir: string,
  options: Partial<EmbeddedPostgresOptions> = {},
): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, fsync: false, ...options });
  onTestFinished(() => server.stop());
  return server;
}

/** Starts the server from a separate Node process that can be killed. */
export async function startInstance(dataDir: string): Promise<Instance> {
  const child = forkInstance(dataDir);
  const [message] = await once(child, 'message');
  if (message.error) throw new Error(message.error);
  return { child, url: message.url };
}

/** Starts only the process. It leads a process group, like a command of an interactive shell. */
export function forkInstance(dataDir: string): ChildProcess {
  const script = fileURLToPath(new URL('./instance.mjs', import.meta.url));
  const child = fork(script, [dataDir], { execArgv: [], detached: true });
  onTestFinished(() => killHard(child.pid!));
  return child;
}

/** Sends SIGKILL to the Node process only. */
export async function killNode(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

export function killHard(pid: number): void {
  if (isRunning(pid)) process.kill(pid, 'SIGKILL');
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The contents of the server's pid file; undefined while the server does not run. */
export async function postmasterPid(dataDir: string): Promise<number | undefined> {
  const file = await readFile(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').catch(() => '');
  return Number.parseInt(file, 10) || undefined;
}

export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  // A server that is killed during a query must fail the query, not the whole test process.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
