import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../../src/platform/database/embedded/embedded-postgres.js';

declare module 'vitest' {
  export interface ProvidedContext {
    preparedCluster: string;
  }
}

/** What belongs to a server that runs on the data, not to the data. */
const OF_THE_SERVER = ['lock', 'port', 'server.log'];

/** Creates the data of an empty cluster once per run. A copy takes a quarter of the time of initdb. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await newDataDir();
  const server = await startEmbeddedPostgres({ dataDir, fsync: false });
  await server.stop();
  for (const name of OF_THE_SERVER)
    await rm(join(dataDir, 'postgres', name), { force: true, recursive: true });
  project.provide('preparedCluster', dataDir);
  return () => rm(dataDir, { recursive: true, force: true, maxRetries: 20 });
}

/** A directory with the data of an empty cluster, on which a server can be started. */
export async function copyOfCluster(): Promise<string> {
  const dataDir = await newDataDir();
  // The files belong to the account of the server, which node:fs does not keep.
  await promisify(execFile)('cp', ['-a', join(inject('preparedCluster'), 'postgres'), dataDir]);
  return dataDir;
}

/** When root runs the tests, the server runs under another account, which must have access to the directory. */
async function newDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'typed-collections-faults-'));
  await chmod(dataDir, 0o755);
  return dataDir;
}
