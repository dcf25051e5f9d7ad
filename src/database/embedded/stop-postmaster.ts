import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Binaries } from './binaries.js';
import type { Home } from './data-directory.js';
import { postmasterFile } from './postmaster.js';
import { type Account, run } from './run.js';

/** Seconds for each way of stopping: first rolling back what is open, then without a checkpoint. */
const STOP_WITHIN_S = 10;

/** Stops the server of this cluster and waits for its end, at most twice the bound above. */
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

/** Stops a server whose Node died without stopping it; returns its process id. Only with the lock held. */
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
 * The pid file of a dead server names a process that exists: its id is in use again, or init has not buried it.
 * PostgreSQL would refuse to start. It looks past the id of its own parent (CreateLockFile in miscinit.c), and
 * goes by the shared memory noted in the file, which tells whether processes of the dead server remain.
 */
async function disclaim(cluster: string): Promise<void> {
  const [, ...rest] = await postmasterFile(cluster);
  await writeFile(join(cluster, 'postmaster.pid'), [process.pid, ...rest].join('\n'));
}

/** Ours is a process started on the directory that its pid file notes, wherever that has been moved to since. */
async function processOfPidFile(cluster: string): Promise<{ pid: number; ours: boolean } | undefined> {
  const [id, directory] = await postmasterFile(cluster);
  const command = Number(id) ? await commandLine(Number(id)) : undefined;
  if (command === undefined) return undefined;
  return { pid: Number(id), ours: !!directory && command.replaceAll('\\', '/').includes(directory) };
}

/** What a process was started with: undefined when there is none, empty when it is dead but not yet buried. */
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
