import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
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
    if (stopped.status === 0 || !(await runningPostmaster(home.cluster))) return;
    output = stopped.output;
  }
  throw new Error(`PostgreSQL did not stop (data: ${home.cluster}): ${output}`);
}

/**
 * Stops a server whose Node died without stopping it; returns its process id. To be called with the lock held.
 * A pid file whose process is none of ours is removed: the server itself cannot tell a reused id.
 */
export async function stopOrphan(
  home: Home,
  binaries: Binaries,
  account?: Account,
): Promise<number | undefined> {
  const running = await runningPostmaster(home.cluster);
  if (!running) return undefined;
  if (running.stranger) {
    await rm(join(home.cluster, 'postmaster.pid'));
    return undefined;
  }
  await stopPostmaster(home, binaries, account);
  return running.pid;
}

async function runningPostmaster(cluster: string): Promise<{ pid: number; stranger: boolean } | undefined> {
  const pid = Number((await postmasterFile(cluster))[0]);
  if (!pid) return undefined;
  const command = await commandLine(pid);
  return command === undefined ? undefined : { pid, stranger: !command.includes(cluster) };
}

/** What a living process was started with; undefined when there is none. */
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
    ({ stdout }) => stdout.trim() || undefined,
    () => undefined,
  );
}
