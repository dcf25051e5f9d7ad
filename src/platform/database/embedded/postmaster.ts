import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chown, open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Binaries } from './binaries.js';
import type { Home } from './cluster.js';
import { type Account, run, SERVER_ENVIRONMENT } from './programs.js';

export interface Launch {
  home: Home;
  binaries: Binaries;
  account?: Account;
  fsync: boolean;
}

export interface Postmaster {
  child: ChildProcess;
  port: number;
}

const ATTEMPTS = 20;
const PAUSE_MS = 250;
/** Recovery after a crash replays about max_wal_size at most, which takes less than a minute. */
const READY_WITHIN_MS = 120_000;
const POLL_MS = 15;

/** Temporary failures: the port was taken after it was probed, or processes of a killed server are still ending. */
const PASSING = /could not bind|could not create any TCP\/IP sockets|pre-existing shared memory block/;

/** Starts the server and returns when it accepts connections, on `port` if that is free. */
export async function startPostmaster(launch: Launch, preferredPort: number): Promise<Postmaster> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort(preferredPort);
    const { child, failure } = await launchOnce(launch, port);
    if (failure === undefined) return { child, port };
    if (attempt === ATTEMPTS || !PASSING.test(failure)) {
      throw new Error(`PostgreSQL did not start (log: ${launch.home.log}): ${failure}`);
    }
    await delay(PAUSE_MS);
  }
}

async function launchOnce(launch: Launch, port: number): Promise<{ child: ChildProcess; failure?: string }> {
  const { home, account } = launch;
  const log = await openServerLog(home.log, account);
  try {
    const child = spawn(
      launch.binaries.postgres,
      ['-D', home.cluster, ...serverParameters(port, launch.fsync)],
      {
        ...account,
        cwd: home.directory,
        env: SERVER_ENVIRONMENT,
        stdio: ['ignore', log.fd, log.fd],
        // A process group of its own: Ctrl-C in the terminal reaches the server only through Node.
        detached: true,
        windowsHide: true,
      },
    );
    const ended = new Promise<string>(resolve => {
      child.once('error', error => resolve(error.message));
      child.once('exit', (code, signal) => resolve(`ended with ${signal ?? `status ${code}`}`));
    });
    const outcome = await Promise.race([ended, ready(home.cluster, child)]);
    return outcome === undefined ? { child } : { child, failure: `${await log.linesSince()} (${outcome})` };
  } finally {
    await log.close();
  }
}

/**
 * Waits for the state `ready` in postmaster.pid, as `pg_ctl start -w` does. Returns the reason when it does not come.
 */
async function ready(cluster: string, child: ChildProcess): Promise<string | undefined> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadline && child.exitCode === null && child.signalCode === null) {
    const lines = await postmasterFile(cluster);
    if (Number(lines[0]) === child.pid && lines[7]?.trim() === 'ready') return undefined;
    await delay(POLL_MS);
  }
  child.kill('SIGQUIT');
  return `not ready within ${READY_WITHIN_MS / 1000} s`;
}

/** Lines of postmaster.pid: 1 process id, 8 status (PostgreSQL, miscadmin.h); empty when there is no file. */
async function postmasterFile(cluster: string): Promise<string[]> {
  return (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
}

/** Seconds for each mode: `fast` rolls back open transactions, `immediate` ends without a checkpoint. */
const STOP_WITHIN_S = 10;

/** Stops the server of this cluster and waits for its end, at most twice `STOP_WITHIN_S`. */
export async function stopPostmaster(home: Home, binaries: Binaries, account?: Account): Promise<void> {
  let output = '';
  for (const mode of ['fast', 'immediate']) {
    const args = ['stop', '-D', home.cluster, '-m', mode, '-w', '-t', String(STOP_WITHIN_S)];
    const stopped = await run(binaries.pgCtl, args, { as: account, cwd: home.directory });
    if (stopped.status === 0 || !(await processOfPidFile(home.cluster))?.ours) return;
    output = stopped.output;
  }
  throw new Error(`PostgreSQL did not stop (data: ${home.cluster}): ${output}`);
}

/** Stops a server that a killed instance left running and returns its process id. Call it only with the lock held. */
export async function stopOrphan(
  home: Home,
  binaries: Binaries,
  account?: Account,
): Promise<number | undefined> {
  const found = await processOfPidFile(home.cluster);
  if (!found) return undefined;
  if (found.ours) {
    await stopPostmaster(home, binaries, account);
    return found.pid;
  }
  await disclaim(home.cluster);
  return undefined;
}

/**
 * The pid file of a dead server names a process that exists: the id was reused, or the process is a zombie. PostgreSQL
 * would refuse to start. It ignores the id of its own parent (CreateLockFile in miscinit.c), so that id is written into
 * the file; then PostgreSQL checks the shared memory noted in it, which tells whether processes of the dead server
 * remain.
 */
async function disclaim(cluster: string): Promise<void> {
  const [, ...rest] = await postmasterFile(cluster);
  await writeFile(join(cluster, 'postmaster.pid'), [process.pid, ...rest].join('\n'));
}

/**
 * `ours` is true if the process was started with the directory in the pid file, even if the directory was moved since.
 */
async function processOfPidFile(cluster: string): Promise<{ pid: number; ours: boolean } | undefined> {
  const [id, directory] = await postmasterFile(cluster);
  const command = Number(id) ? await commandLine(Number(id)) : undefined;
  if (command === undefined) return undefined;
  return { pid: Number(id), ours: !!directory && command.replaceAll('\\', '/').includes(directory) };
}

/** The command line of a process: undefined when there is none, empty for a zombie. */
async function commandLine(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  const listing =
    process.platform === 'win32'
      ? promisify(execFile)('powershell', [
          '-NoProfile',
          '-Command',
          `(Get-CimInstance Win32_Process -Filter ProcessId=${pid}).CommandLine`,
        ])
      : promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
  return listing.then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

/** Tests do not need durability, and many instances share the server. */
const FOR_TESTS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: 500 };

/**
 * Settings for a developer's machine, as command line arguments. Only TCP on loopback, since the path of a socket file
 * is limited to about 100 bytes. The log does not contain failed statements, because they contain users' data and the
 * client gets the error anyway. Time zones do not depend on the machine.
 */
function serverParameters(port: number, fsync: boolean): string[] {
  const parameters: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 100,
    // The deletion of an organization locks about eleven tables and indexes for each of its collections.
    max_locks_per_transaction: 512,
    shared_buffers: '128MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    ...(fsync ? {} : FOR_TESTS),
  };
  return Object.entries(parameters).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** One older file is kept, so both take about twice this size at most. */
const ROTATE_AT_BYTES = 5_000_000;

/** The server's log, opened for appending; `linesSince` returns what was written since. */
interface ServerLog {
  fd: number;
  linesSince(): Promise<string>;
  close(): Promise<void>;
}

/** Opens the log, which the server inherits as its standard error. A large one is first renamed. */
async function openServerLog(path: string, account: Account | undefined): Promise<ServerLog> {
  const size = await stat(path).then(
    found => found.size,
    () => 0,
  );
  if (size > ROTATE_AT_BYTES) await rename(path, `${path}.1`);
  const start = size > ROTATE_AT_BYTES ? 0 : size;
  const file = await open(path, 'a', 0o600);
  if (account) await chown(path, account.uid, account.gid);
  return {
    fd: file.fd,
    linesSince: async () => (await readFile(path)).subarray(start).toString().trim(),
    close: () => file.close(),
  };
}

/** `preferred` if nothing listens there on 127.0.0.1, otherwise a port that the operating system reports as free. */
export async function freePort(preferred: number): Promise<number> {
  return (await tryPort(preferred)) ?? (await tryPort(0)) ?? Promise.reject(new Error('No free port.'));
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise(resolve => {
    const probe = createServer();
    probe.once('error', () => resolve(undefined));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = probe.address();
      const bound = address && typeof address === 'object' ? address.port : undefined;
      probe.close(() => resolve(bound));
    });
  });
}
