import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Binaries } from './binaries.js';
import type { Home } from './data-directory.js';
import { freePort } from './free-port.js';
import { type Account, SERVER_ENVIRONMENT } from './run.js';
import { openServerLog } from './server-log.js';
import { serverParameters } from './server-parameters.js';

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
/** Recovery after a crash replays at most about max_wal_size; a minute of it is already much. */
const READY_WITHIN_MS = 120_000;
const POLL_MS = 15;

/** A port taken between probing and binding; processes of a killed server that are still on their way out. */
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

/** Undefined once postmaster.pid says so, as for `pg_ctl start -w`; else why not. */
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

/** Lines of postmaster.pid: 1 process id, 8 status (PostgreSQL, miscadmin.h); empty when there is none. */
export async function postmasterFile(cluster: string): Promise<string[]> {
  return (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
}
