import { stat } from 'node:fs/promises';
import { type Account, run } from './run.js';

const NAME = 'postgres';

/** shadow-utils, then busybox. A system account without a home or a shell. */
const CREATE_COMMANDS = [
  ['useradd', '--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', NAME],
  ['adduser', '-S', '-D', '-H', NAME],
] as const;

/**
 * As whom the server runs. PostgreSQL refuses to run as root; then it is the owner of the data that is already
 * there, else the account `postgres`, created if need be. Anybody else runs it as themselves (undefined).
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
