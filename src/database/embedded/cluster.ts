import { randomBytes } from 'node:crypto';
import { access, chown, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from './binaries.js';
import type { Home } from './data-directory.js';
import { type Account, run } from './run.js';

export const SUPERUSER = 'postgres';
const PASSWORD_FILE = 'superuser.password';
const DRAFT = 'cluster.new-';

/**
 * Makes the database cluster unless it exists, and returns its superuser's password. initdb works beside it and
 * the result is renamed, password file included: a cluster is there whole or not at all, however this ends.
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

/** The superuser's password. Throws while the cluster is not made yet. */
export async function readPassword(home: Home): Promise<string> {
  return (await readFile(join(home.cluster, PASSWORD_FILE), 'utf8')).trim();
}

async function create(
  home: Home,
  binaries: Binaries,
  options: { account?: Account; fsync: boolean },
): Promise<void> {
  await removeDrafts(home.directory);
  // A name of its own each time: the initdb of a Node that was killed may still be writing to the last one.
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

/** The built-in C.UTF-8 sorts by code point, yet its upper, lower and regular expressions know all of Unicode. */
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
