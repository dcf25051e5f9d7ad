import { createHash } from 'node:crypto';
import { access, constants, lstat, mkdir, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, run } from './run.js';

/** Everything the embedded server keeps, below one directory. */
export interface Home {
  directory: string;
  cluster: string;
  lock: string;
  log: string;
  port: string;
  /** Set when the data is not below the directory that was asked for. */
  note?: string;
}

/** Where the cluster of `dataDir` is unless the server's account cannot reach it. */
export const homeBelow = (dataDir: string): Home => home(join(dataDir, 'postgres'));

/**
 * Makes the directory that holds the cluster, its log and its lock. When the server's account cannot enter
 * `dataDir` (root's home is closed to it, and stays so) a directory elsewhere, always the same for the same
 * `dataDir`, takes its place.
 */
export async function openHome(dataDir: string, account: Account | undefined): Promise<Home> {
  await mkdir(dataDir, { recursive: true }).catch(refuse(dataDir));
  if (!account || (await canEnter(account, dataDir))) {
    const chosen = homeBelow(await realpath(dataDir));
    await mkdir(chosen.directory, { recursive: true }).catch(refuse(dataDir));
    await access(chosen.directory, constants.R_OK | constants.W_OK | constants.X_OK).catch(refuse(dataDir));
    return chosen;
  }
  return await openElsewhere(await realpath(dataDir), account);
}

async function openElsewhere(dataDir: string, account: Account): Promise<Home> {
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  for (const directory of [
    `/var/lib/typed-collections/${name}`,
    join(tmpdir(), `typed-collections-${name}`),
  ]) {
    if (!(await makeOwn(directory)) || !(await canEnter(account, directory))) continue;
    const note =
      `${dataDir} cannot be reached by the account PostgreSQL runs as (uid ${account.uid}): ` +
      `its data is in ${directory} instead.`;
    return { ...home(directory), note };
  }
  throw new Error(
    `PostgreSQL does not run as root, and its account (uid ${account.uid}) can reach neither ${dataDir} nor ` +
      '/var/lib. Set DATA_DIR to a directory it can reach, start as an ordinary user, or set DATABASE_URL.',
  );
}

/** In a directory that everyone may write to, somebody else's directory or link must not be taken for ours. */
async function makeOwn(directory: string): Promise<boolean> {
  try {
    await mkdir(directory, { recursive: true });
    const made = await lstat(directory);
    return made.isDirectory() && made.uid === process.getuid?.();
  } catch {
    return false;
  }
}

async function canEnter(account: Account, directory: string): Promise<boolean> {
  const entered = await run('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], { as: account, cwd: '/' });
  return entered.status === 0;
}

function refuse(dataDir: string): (error: Error) => never {
  return error => {
    throw new Error(
      `The data directory ${dataDir} cannot be used (${error.message}). Start as the user it belongs to, ` +
        'or set DATA_DIR to another directory.',
    );
  };
}

function home(directory: string): Home {
  const inside = (name: string) => join(directory, name);
  return {
    directory,
    cluster: inside('cluster'),
    lock: inside('lock'),
    log: inside('server.log'),
    port: inside('port'),
  };
}
