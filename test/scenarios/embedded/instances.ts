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
} from '../../../src/database/embedded/embedded-postgres.js';

export interface Instance {
  child: ChildProcess;
  url: string;
}

/** An empty data directory, removed after the test; open to the account that the server of root runs as. */
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

/** Starts the server in the test's own process; stopped after the test. */
export async function start(
  dataDir: string,
  options: Partial<EmbeddedPostgresOptions> = {},
): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, fsync: false, ...options });
  onTestFinished(() => server.stop());
  return server;
}

/** Starts the server in a Node process of its own, which can be killed. */
export async function startInstance(dataDir: string): Promise<Instance> {
  const child = forkInstance(dataDir);
  const [message] = await once(child, 'message');
  if (message.error) throw new Error(message.error);
  return { child, url: message.url };
}

/** The process alone, as it begins to start. It leads a process group, as a command of an interactive shell. */
export function forkInstance(dataDir: string): ChildProcess {
  const script = fileURLToPath(new URL('./instance.mjs', import.meta.url));
  const child = fork(script, [dataDir], { execArgv: [], detached: true });
  onTestFinished(() => killHard(child.pid!));
  return child;
}

/** kill -9 of the Node process and of nothing else. */
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

/** What the server wrote into its pid file; undefined when it does not run. */
export async function postmasterPid(dataDir: string): Promise<number | undefined> {
  const file = await readFile(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').catch(() => '');
  return Number.parseInt(file, 10) || undefined;
}

export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  // A server that is killed in mid-connection must fail the query, not the whole test process.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
