import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { testPort } from '../app/port.js';
import { startCluster } from './cluster.js';
import { startInstance } from './instance.js';

/** The limit of Node's heap in MiB. */
const HEAP_MIB = 256;
/** Records that are together as large as the heap. */
const RECORDS = 100;
const RECORD_BYTES = 2.5 * 1024 * 1024;
const LIMIT_BYTES = 16 * 1024 * 1024;
const AT_ONCE = 4;

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** The correct statuses of a single request. */
  readonly status: number;
}

interface Outcome {
  readonly status: number;
  readonly bytes: number;
  /** The beginning of the body. */
  readonly text: string;
}

/** An instance with little memory, and two organizations, one of them with large records. */
async function smallInstance() {
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

/** Reads the answer to its end and keeps none of it. */
async function send(
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

it('a process of 256 MB survives every operation on large records and serves other clients meanwhile', async () => {
  const { cluster, instance, key, token } = await smallInstance();
  const owner = { 'x-platform-api-key': key };
  const call = async (method: string, path: string, body?: unknown) => {
    const { status, text } = await send(instance.url, owner, { method, path, body });
    expect([status, text]).toEqual([200, expect.anything()]);
    return JSON.parse(text);
  };
  const made = await call('POST', '/v1/collections', {
    name: 'large',
    properties: { n: { type: 'integer' } },
  });
  const path = `/v1/collections/${made.collection_id}`;
  await call('GET', `${path}/changes`);
  const records = Array.from({ length: RECORDS }, (_, n) => ({ n, text: 'small' }));
  const { ids } = await call('POST', `${path}/data`, { records });
  // Large random texts, so that compression does not shrink them.
  const [{ org_id: orgId }] = await cluster.sql('SELECT org_id FROM collections WHERE id = $1', [
    made.collection_id,
  ]);
  const table = `org_${orgId.replaceAll('-', '')}.c_${made.collection_id.replaceAll('-', '')}`;
  await cluster.sql(
    `UPDATE ${table} SET x = jsonb_build_object('text',
       (SELECT string_agg(md5(c1::text || i), '') FROM generate_series(1, 2000) i) || repeat(md5(c1::text), $1))`,
    [RECORD_BYTES / 32],
  );

  const other = await otherOrganization(instance.url, token);
  const beside = { failed: [] as unknown[], done: 0 };
  let isOver = false;
  const neighbour = (async () => {
    while (!isOver) {
      const { status, text } = await send(instance.url, other.credential, {
        method: 'POST',
        path: `${other.path}/data/query`,
        body: { filter: { n: 1 }, limit: 20 },
      }).catch(error => ({ status: 0, text: String(error) }));
      beside.done += 1;
      if (status !== 200) beside.failed.push([status, text.slice(0, 200)]);
      await pause(20);
    }
  })();

  const post = (below: string, body: unknown, status: number) => ({
    method: 'POST',
    path: path + below,
    body,
    status,
  });
  const get = (below: string, status: number) => ({ method: 'GET', path: path + below, status });
  const tool = (name: string, args: object) =>
    post(
      '/mcp',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: { collection_id: made.collection_id, ...args } },
      },
      200,
    );
  const operations: Record<string, Request> = {
    'a page with a cursor': post('/data/query', { cursor: '', limit: 100, sort: { n: 1 } }, 200),
    'a page with a number': post('/data/query', { limit: 100 }, 400),
    'a record': get(`/data/${ids[7]}`, 200),
    'an export of NDJSON': get('/export?format=ndjson', 200),
    'an export of CSV': get('/export?format=csv', 200),
    'distinct values': get('/data/distinct?field=text', 400),
    groups: post(
      '/data/aggregate',
      { group_by: 'n', steps: [{ type: 'max', input_field: 'text', output_field: 'text' }] },
      400,
    ),
    'a count': get(`/data/count?filter=${encodeURIComponent('{"text":{"$regex":"never"}}')}`, 200),
    'an update': {
      method: 'PATCH',
      path: `${path}/data`,
      body: { filter: { n: { $lt: 30 } }, update: { $push: { marks: 1 } } },
      status: 200,
    },
    changes: get('/changes?since=&limit=1000', 200),
    'a question': post('/ask', { question: 'Show me all records' }, 400),
    'a tool': { ...tool('data_query', { limit: 100 }), path: '/v1/mcp' },
  };

  for (const [name, request] of Object.entries(operations)) {
    const alone = await send(instance.url, owner, request);
    expect([name, alone.status, alone.text.slice(0, 300)]).toEqual([name, request.status, expect.anything()]);
    if (!request.path.includes('/export'))
      expect(alone.bytes, name).toBeLessThanOrEqual(LIMIT_BYTES + 10_000);
    // Concurrent requests may have to wait for memory until they time out.
    const many = await Promise.all(Array.from({ length: AT_ONCE }, () => send(instance.url, owner, request)));
    expect(instance.alive(), `${name}: ${instance.log().slice(-2_000)}`).toBe(true);
    for (const { status } of many) expect([name, request.status, 503]).toContain(status);
  }
  isOver = true;
  await neighbour;
  expect(beside.failed).toEqual([]);
  expect(beside.done).toBeGreaterThan(Object.keys(operations).length);
  await instance.stop();
}, 600_000);

/** An organization with a small collection. */
async function otherOrganization(url: string, token: string) {
  const admin = { authorization: `Bearer ${token}` };
  await send(url, admin, {
    method: 'POST',
    path: '/v2/orgs',
    body: { slug: 'neighbour', name: 'Neighbour' },
  });
  const minted = await send(url, admin, {
    method: 'POST',
    path: '/v2/orgs/neighbour/api-keys',
    body: { slug: 'test', name: 'test', scopes: ['*'], permissions: ['collections:*'] },
  });
  const credential = { 'x-platform-api-key': JSON.parse(minted.text).apiKey as string };
  const collection = await send(url, credential, {
    method: 'POST',
    path: '/v1/collections',
    body: { name: 'small', properties: { n: { type: 'integer' } } },
  });
  const path = `/v1/collections/${JSON.parse(collection.text).collection_id}`;
  const records = Array.from({ length: 20 }, () => ({ n: 1 }));
  await send(url, credential, { method: 'POST', path: `${path}/data`, body: { records } });
  return { credential, path };
}
