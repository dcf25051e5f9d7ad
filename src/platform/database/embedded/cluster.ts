import { createHash, randomBytes } from 'node:crypto';
import {
  access,
  chown,
  constants,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Binaries } from './binaries.js';
import { type Account, run } from './programs.js';

export const SUPERUSER = 'postgres';
const PASSWORD_FILE = 'superuser.password';
const DRAFT = 'cluster.new-';

/**
 * Creates the database cluster unless it exists, and returns its superuser's password. initdb works in a draft
 * directory, which is then renamed together with the password file: a cluster exists completely or not at all.
 */
export async function ensureCluster(
  home: Home,
  binaries: Binaries,
  options: { account?: Account; fsync: boolean; log: (line: string) => void },
): Promise<string> {
  const exists = await access(join(home.cluster, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
  if (!exists) {
    options.log(`Creating the database in ${home.cluster}`);
    await create(home, binaries, options);
  }
  return readPassword(home);
}

/** The superuser's password. Throws when the cluster does not exist yet. */
export async function readPassword(home: Home): Promise<string> {
  return (await readFile(join(home.cluster, PASSWORD_FILE), 'utf8')).trim();
}

async function create(
  home: Home,
  binaries: Binaries,
  options: { account?: Account; fsync: boolean },
): Promise<void> {
  await removeDrafts(home.directory);
  // A new name each time: the initdb of a process that was killed may still write to the last one.
  const draft = await mkdtemp(join(home.directory, DRAFT));
  const password = `${draft}.password`;
  await writeFile(password, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  const { account } = options;
  if (account) await Promise.all([draft, password].map(path => chown(path, account.uid, account.gid)));
  const sync = options.fsync ? [] : ['--no-sync'];
  const made = await run(binaries.initdb, [...initdbArguments(draft, password), ...sync], {
    as: account,
    cwd: home.directory,
  });
  if (made.status !== 0) throw new Error(`initdb could not create ${home.cluster}: ${made.output}`);
  await rename(password, join(draft, PASSWORD_FILE));
  await rename(draft, home.cluster);
}

async function removeDrafts(directory: string): Promise<void> {
  const drafts = (await readdir(directory)).filter(name => name.startsWith(DRAFT));
  const removals = drafts.map(name => rm(join(directory, name), { recursive: true, force: true }));
  await Promise.allSettled(removals);
}

/**
 * The built-in locale C.UTF-8 sorts by code point, but its upper, lower and regular expressions support all of Unicode.
 */
function initdbArguments(directory: string, passwordFile: string): string[] {
  return [
    `--pgdata=${directory}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--text-search-config=simple',
    '--no-instructions',
  ];
}

/** The files of the embedded server, in one directory. */
export interface Home {
  directory: string;
  cluster: string;
  lock: string;
  log: string;
  port: string;
  /** Set when the data is not in the requested directory. */
  note?: string;
}

/** The default place of the cluster, used unless the server's account cannot reach it. */
export const homeBelow = (dataDir: string): Home => home(join(dataDir, 'postgres'));

/**
 * Creates the directory of the cluster, its log and its lock. When the server's account cannot enter `dataDir`, for
 * example root's home, another directory is used, always the same for the same `dataDir`.
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

/**
 * Creates a directory. Returns false when it belongs to another user or is a link, which is possible where all users
 * may write.
 */
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
