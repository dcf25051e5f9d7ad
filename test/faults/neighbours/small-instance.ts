import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { testPort } from '../../harness/port.js';
import { startCluster } from '../support/cluster.js';
import { startInstance } from '../support/instance.js';

/** The limit of Node's heap in MiB. */
const HEAP_MIB = 256;

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** The correct statuses of a single request. */
  readonly status: number;
}

export interface Outcome {
  readonly status: number;
  readonly bytes: number;
  /** The beginning of the body. */
  readonly text: string;
}

/** An instance with little memory. `key` belongs to the organization of the session `token`. */
export async function smallInstance() {
  const cluster = await startCluster();
  const directory = await mkdtemp(join(tmpdir(), 'typed-collections-memory-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const bootstrapFile = join(directory, 'bootstrap.json');
  const port = await testPort();
  const instance = await startInstance([`--max-old-space-size=${HEAP_MIB}`], {
    DATABASE_URL: cluster.url,
    PORT: String(port),
    SECRETS_MASTER_KEYS: `memory:${randomBytes(32).toString('base64')}`,
    BOOTSTRAP_FILE: bootstrapFile,
    RATE_LIMITS: 'off',
    // This test does not judge how fast the machine is.
    DATABASE_STATEMENT_TIMEOUT_MS: '120000',
  });
  const { orgApiKey, accessToken } = JSON.parse(await readFile(bootstrapFile, 'utf8'));
  return { cluster, instance, key: orgApiKey as string, token: accessToken as string };
}

/** Reads the answer to its end and keeps only its beginning. */
export async function send(
  url: string,
  credential: Record<string, string>,
  { method, path, body }: Omit<Request, 'status'>,
): Promise<Outcome> {
  const response = await fetch(url + path, {
    method,
    signal: AbortSignal.timeout(170_000),
    headers: {
      accept: 'application/json, text/event-stream, */*',
      ...credential,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  let [bytes, text] = [0, ''];
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (text.length < 10_000) text += Buffer.from(chunk).toString('utf8');
  }
  return { status: response.status, bytes, text };
}
