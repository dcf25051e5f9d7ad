import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';

/** The operating system account that the server's programs run as. */
export interface Account {
  uid: number;
  gid: number;
}

/** The account that runs a program (that of this process by default) and its working directory. */
interface RunOptions {
  as?: Account;
  cwd?: string;
}

/** `status` is null when the program could not be started or was ended by a signal. */
export interface Outcome {
  status: number | null;
  output: string;
}

/**
 * The server's programs do not get this process's environment: it holds the platform's secrets, and PG* variables would
 * change what they do. Windows cannot start a program without its own variables.
 */
export const SERVER_ENVIRONMENT =
  process.platform === 'win32' ? undefined : { LC_ALL: 'C', PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

/** Runs a program to its end. A failure is an outcome, not an exception. */
export function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  return new Promise(resolve => {
    const chunks: Buffer[] = [];
    const output = () => Buffer.concat(chunks).toString().trim();
    const child = spawn(file, args, {
      ...options.as,
      cwd: options.cwd,
      env: SERVER_ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl-C in the terminal must not interrupt initdb or pg_ctl.
      detached: true,
      windowsHide: true,
    });
    child.stdout.on('data', chunk => chunks.push(chunk));
    child.stderr.on('data', chunk => chunks.push(chunk));
    child.once('error', error => resolve({ status: null, output: error.message }));
    child.once('close', status => resolve({ status, output: output() }));
  });
}

const NAME = 'postgres';

/** shadow-utils, then busybox. A system account without a home or a shell. */
const CREATE_COMMANDS = [
  ['useradd', '--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', NAME],
  ['adduser', '-S', '-D', '-H', NAME],
] as const;

/**
 * The account that runs the server; undefined for the account of this process. PostgreSQL refuses to run as root, so
 * for root it is the owner of the existing data, otherwise the account `postgres`, which is created if it does not
 * exist.
 */
export async function serverAccount(existingCluster: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  return (await ownerOf(existingCluster)) ?? (await lookUp()) ?? (await create());
}

async function ownerOf(directory: string): Promise<Account | undefined> {
  const owner = await stat(directory).catch(() => undefined);
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : undefined;
}

async function lookUp(): Promise<Account | undefined> {
  const [uid, gid] = await Promise.all([run('id', ['-u', NAME]), run('id', ['-g', NAME])]);
  if (uid.status !== 0 || gid.status !== 0) return undefined;
  return { uid: Number(uid.output), gid: Number(gid.output) };
}

async function create(): Promise<Account> {
  const failures: string[] = [];
  for (const [file, ...args] of CREATE_COMMANDS) {
    const made = await run(file, args);
    const account = made.status === 0 ? await lookUp() : undefined;
    if (account) return account;
    failures.push(made.output);
  }
  throw new Error(
    `PostgreSQL does not run as root, and the account "${NAME}" could not be created (${failures.join('; ')}). ` +
      'Start as an ordinary user, create that account, or set DATABASE_URL to a PostgreSQL of your own.',
  );
}
