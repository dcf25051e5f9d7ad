import { spawn } from 'node:child_process';

/** The operating system account that the server's programs run as. */
export interface Account {
  uid: number;
  gid: number;
}

/** How a program of the server is started: as whom (nobody in particular: as this process) and where. */
export interface RunOptions {
  as?: Account;
  cwd?: string;
}

/** `status` is null when the program could not be started or was ended by a signal. */
export interface Outcome {
  status: number | null;
  output: string;
}

/**
 * The server's programs get none of this process's environment: it holds the platform's secrets, and PG*
 * variables would change what they do. Windows cannot start a program without its own variables.
 */
export const SERVER_ENVIRONMENT =
  process.platform === 'win32' ? undefined : { LC_ALL: 'C', PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

/** Runs a program to its end; failing is an outcome, not an exception. */
export function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  return new Promise(resolve => {
    const chunks: Buffer[] = [];
    const output = () => Buffer.concat(chunks).toString().trim();
    const child = spawn(file, args, {
      ...options.as,
      cwd: options.cwd,
      env: SERVER_ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl-C in the terminal must not end initdb or pg_ctl half-way.
      detached: true,
      windowsHide: true,
    });
    child.stdout.on('data', chunk => chunks.push(chunk));
    child.stderr.on('data', chunk => chunks.push(chunk));
    child.once('error', error => resolve({ status: null, output: error.message }));
    child.once('close', status => resolve({ status, output: output() }));
  });
}
