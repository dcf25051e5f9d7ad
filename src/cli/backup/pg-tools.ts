import { spawn } from 'node:child_process';
import { environment } from '../../platform/config/load-settings.js';
import { writeByDraft } from './archive.js';

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** True when the tool is installed and at least as new as the server. An older tool cannot read a newer server. */
export async function canUse(tool: 'pg_dump' | 'pg_restore', serverMajor: number): Promise<boolean> {
  const { status, stdout } = await run(tool, ['--version']).catch(() => ({ status: 1, stdout: '' }));
  const major = Number(/(\d+)(?:\.\d+|\w+)*(?:\s|$)/.exec(stdout)?.[1] ?? 0);
  return status === 0 && major >= serverMajor;
}

/** Leaves out change feeds and rate limit counters, as the backup of lines does, and the given schemas. */
export async function dump(url: string, file: string, schemas: readonly string[]): Promise<void> {
  const leaveOut = [
    'public.rate_limits',
    'public.change_notes',
    'org_*.record_feeds',
    'org_*.record_changes',
  ];
  // pg_dump keeps the mode of a file that exists.
  await writeByDraft(file, draft =>
    succeed('pg_dump', url, [
      ...['--format=custom', '--no-owner', '--no-privileges', `--file=${draft}`],
      ...leaveOut.map(pattern => `--exclude-table-data=${pattern}`),
      ...schemas.map(schema => `--exclude-schema=${schema}`),
    ]),
  );
}

/** Names of the migrations in a file of pg_dump, oldest first. */
export async function migrationsIn(file: string): Promise<string[]> {
  const { stdout, status } = await run('pg_restore', [
    ...['--data-only', '--schema=public', '--table=migrations', '--file=-', file],
  ]);
  const rows = [...stdout.matchAll(/^\d+\t(\d+)\t(\w+)$/gm)];
  if (status !== 0 || rows.length === 0) throw new Error(`${file} is not a backup of this service.`);
  return rows.sort((a, b) => Number(a[1]) - Number(b[1])).map(([, , name]) => name as string);
}

export async function load(url: string, file: string): Promise<void> {
  const { dbname } = environmentOf(url);
  await succeed('pg_restore', url, [
    ...['--exit-on-error', '--no-owner', '--no-privileges', `--dbname=${dbname}`, file],
  ]);
}

async function succeed(tool: string, url: string, args: readonly string[]): Promise<void> {
  const { status, stderr } = await run(tool, args, environmentOf(url).variables);
  if (status !== 0) throw new Error(`${tool} failed: ${stderr.trim()}`);
}

function run(tool: string, args: readonly string[], variables: Record<string, string> = {}): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(tool, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...environment(), ...variables },
    });
    const texts = { stdout: '', stderr: '' };
    child.stdout.on('data', chunk => (texts.stdout += chunk));
    child.stderr.on('data', chunk => (texts.stderr += chunk));
    const endWithUs = () => void child.kill();
    process.once('exit', endWithUs);
    child.on('error', error => {
      process.off('exit', endWithUs);
      reject(error);
    });
    child.on('close', status => {
      process.off('exit', endWithUs);
      resolve({ status, ...texts });
    });
  });
}

/** The address of a database as environment variables of libpq (PostgreSQL manual, "Environment Variables"). */
interface ConnectionEnvironment {
  readonly variables: Record<string, string>;
  readonly dbname: string;
}

/** The password is in the environment because every user of the machine can see arguments. */
export function environmentOf(url: string): ConnectionEnvironment {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  const dbname = decodeURIComponent(pathname.slice(1));
  const host = hostname.replace(/^\[(.*)\]$/, '$1') || searchParams.get('host');
  const variables = {
    PGHOST: host,
    PGPORT: port,
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: dbname,
    PGSSLMODE: searchParams.get('sslmode'),
    PGSSLROOTCERT: searchParams.get('sslrootcert'),
  };
  const given = Object.entries(variables).filter((entry): entry is [string, string] => !!entry[1]);
  return { variables: Object.fromEntries(given), dbname };
}
