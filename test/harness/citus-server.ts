import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { inject, vi } from 'vitest';

const run = promisify(execFile);

/** A server of the cluster that runs on this machine. */
export interface LocalServer {
  /** Runs SQL in a database of this server. */
  // biome-ignore lint/suspicious/noExplicitAny: the columns depend on the statement
  sql(database: string, text: string): Promise<any[]>;
  /** Ends all processes of the server with SIGKILL. */
  kill(): Promise<void>;
  /** Starts the server and waits until it accepts connections. */
  start(): Promise<void>;
}

/** The server of the cluster on this port. Rejects when this process may not read its data directory. */
export async function localServer(port: number): Promise<LocalServer> {
  const sql = async (database: string, text: string) => {
    const url = Object.assign(new URL(inject('testServer').citusUrl as string), { port });
    const client = new pg.Client({ connectionString: Object.assign(url, { pathname: `/${database}` }).href });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  const [{ data, bin }] = await sql(
    'postgres',
    `SELECT current_setting('data_directory') AS data, setting AS bin FROM pg_config WHERE name = 'BINDIR'`,
  );
  const { uid, gid } = await stat(data);
  const pid = async () => Number.parseInt(await readFile(join(data, 'postmaster.pid'), 'utf8'), 10);
  await pid();
  const log = join(dirname(data), `${port}.log`);
  return {
    sql,
    async kill() {
      const parent = await pid();
      const { stdout } = await run('pgrep', ['-P', String(parent)]);
      // Without its parent, a process would go on until it has nothing to do.
      for (const each of [parent, ...stdout.trim().split('\n').map(Number)]) killIfThere(each);
    },
    async start() {
      const start = () =>
        run(join(bin, 'pg_ctl'), ['-D', data, '-l', log, '-w', 'start'], { uid, gid, cwd: '/', env: {} });
      // The first attempt fails while the system still removes processes that were killed.
      await vi.waitFor(start, { timeout: 30_000, interval: 200 });
    },
  };
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
