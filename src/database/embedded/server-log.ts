import { chown, open, readFile, rename, stat } from 'node:fs/promises';
import type { Account } from './run.js';

/** One older file is kept, so the log takes at most about twice this; what is written between is a few lines. */
const ROTATE_AT_BYTES = 5_000_000;

/** The server's log opened for appending, and what was written to it since. */
export interface ServerLog {
  fd: number;
  linesSince(): Promise<string>;
  close(): Promise<void>;
}

/** Opens the log that the server inherits as its standard error; a big one is first put aside. */
export async function openServerLog(path: string, account: Account | undefined): Promise<ServerLog> {
  const size = await stat(path).then(
    found => found.size,
    () => 0,
  );
  if (size > ROTATE_AT_BYTES) await rename(path, `${path}.1`);
  const start = size > ROTATE_AT_BYTES ? 0 : size;
  const file = await open(path, 'a', 0o600);
  if (account) await chown(path, account.uid, account.gid);
  return {
    fd: file.fd,
    linesSince: async () => (await readFile(path)).subarray(start).toString().trim(),
    close: () => file.close(),
  };
}
