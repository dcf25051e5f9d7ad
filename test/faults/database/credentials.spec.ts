import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { type Cluster, startCluster } from '../support/cluster.js';
import { type Direction, openLink } from '../support/link.js';
import { type Service, startService } from '../support/service.js';
import { newTarget } from '../support/target.js';

/** Connections of the pool, which are used to look up credentials. */
const POOL = 'typed-collections';
const MOST_IN_POOL = 100;
/** The promised time, plus a margin for a slow machine. */
const REPLACED_WITHIN_MS = 5_000 + 10_000;
const DIRECTIONS: readonly Direction[] = ['both ways', 'to the client', 'to the server'];

const LOOK_UPS = `SELECT pid FROM pg_stat_activity
  WHERE application_name = $1 AND wait_event_type = 'Lock' AND query ~ 'sessions|org_api_keys'`;

let keys = 0;

interface Caller {
  readonly path: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A session and an organization key that the second instance has not yet seen. */
async function newCallers({ call, instances: [first], secrets }: Service, path: string): Promise<Caller[]> {
  const session = await call(first, 'POST', '/v2/login/anonymous', { body: {} });
  expect(session.status).toBe(201);
  const { token } = session.body;
  const body = { slug: `fault-${++keys}`, name: 'Fault', permissions: ['*'] };
  const key = await call(first, 'POST', '/v2/orgs/default/api-keys', { body });
  expect(key.status, key.text).toBe(201);
  secrets.push(token, key.body.apiKey);
  return [
    { path: '/v2/me', token },
    { path, headers: { 'x-platform-api-key': key.body.apiKey } },
  ];
}

/**
 * Sends one request per credential to the second instance at the same time. Resolves to the answers other than
 * 200.
 */
async function failures({ call, instances: [, second] }: Service, callers: readonly Caller[]) {
  const answers = await Promise.all(callers.map(({ path, ...sent }) => call(second, 'GET', path, sent)));
  return answers.filter(({ status }) => status !== 200).map(({ status, text }) => [status, text]);
}

/** Locks the tables of credentials until the returned function is called. */
async function lockCredentials({ url }: Cluster): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('BEGIN; LOCK TABLE sessions, org_api_keys IN ACCESS EXCLUSIVE MODE');
  return async () => void (await client.query('COMMIT'));
}

it('a credential whose look-up loses its connection is looked up again, and the request succeeds', async () => {
  const cluster = await startCluster();
  const link = await openLink(cluster.url);
  const service = await startService(cluster, [{}, { databaseUrl: link.url }]);

  const path = `${(await newTarget(service)).path}/data?limit=1`;
  const callers = await newCallers(service, path);
  const unlock = await lockCredentials(cluster);
  const cut = failures(service, callers);
  const waiting = async (): Promise<number[]> => (await cluster.sql(LOOK_UPS, [POOL])).map(({ pid }) => pid);
  await expect.poll(async () => (await waiting()).length, { interval: 10 }).toBe(callers.length);
  await cluster.sql('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [await waiting()]);
  await unlock();
  expect(await cut, 'of look-ups whose backends were terminated').toEqual([]);

  for (const direction of DIRECTIONS) {
    const fresh = await newCallers(service, path);
    expect(link.swallow(POOL, direction, MOST_IN_POOL)).toBeGreaterThan(0);
    const sentAt = performance.now();
    expect(await failures(service, fresh), `of look-ups on silent links: ${direction}`).toEqual([]);
    expect(performance.now() - sentAt).toBeLessThan(REPLACED_WITHIN_MS);
    await expect.poll(() => link.swallowed, { timeout: REPLACED_WITHIN_MS }).toBe(0);
  }
  await service.end();
});
