import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { Agent, type ClientRequest, get, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { freshDatabaseUrl } from '../../harness/database.js';
import { type Program, scratchDirectory, startService } from './service.js';

interface Running {
  readonly service: Program;
  readonly running: ClientRequest;
  readonly body: string;
}

const BODY = JSON.stringify({ name: 'begun-before-the-signal' });

/** A service with an accepted request whose body is only half sent. */
async function withRunningRequest(settings: Record<string, string>): Promise<Running> {
  const DATA_DIR = await scratchDirectory();
  const service = await startService({ DATABASE_URL: await freshDatabaseUrl(), DATA_DIR, ...settings });
  const key = /iak_\S+/.exec(service.output())?.[0] as string;
  const running = request(`${service.url}/v1/collections`, {
    method: 'POST',
    headers: {
      'x-platform-api-key': key,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(BODY),
      // The response begins when the guards have passed and the service reads the body.
      expect: '100-continue',
    },
  });
  running.flushHeaders();
  await once(running, 'continue');
  running.write(BODY.slice(0, 10));
  return { service, running, body: BODY.slice(10) };
}

async function refusesConnections({ url }: Program): Promise<void> {
  const { hostname, port } = new URL(url);
  for (;;) {
    const socket = connect(Number(port), hostname);
    const refused = await once(socket, 'connect').then(
      () => false,
      () => true,
    );
    socket.destroy();
    if (refused) return;
    await delay(20);
  }
}

it('lets requests in progress finish, ends each connection with its next answer, and accepts no new ones', async () => {
  const { service, running, body } = await withRunningRequest({ SHUTDOWN_DELAY_SECONDS: '1' });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const ping = async () => {
    const [answer] = await once(get(`${service.url}/health/live`, { agent }), 'response');
    await text(answer);
    return answer as IncomingMessage;
  };
  expect((await ping()).headers.connection).toBe('keep-alive');
  service.child.kill('SIGTERM');
  while (!service.output().includes('a signal asks')) await delay(20);
  expect(await ping()).toMatchObject({ statusCode: 200, headers: { connection: 'close' } });
  await refusesConnections(service);
  running.end(body);
  const [answer] = (await once(running, 'response')) as [IncomingMessage];
  expect(answer).toMatchObject({ statusCode: 200, headers: { connection: 'close' } });
  expect(JSON.parse(await text(answer)).name).toBe('begun-before-the-signal');
  expect((await service.ended).status).toBe(0);
});

it('aborts requests that take longer than SHUTDOWN_GRACE_SECONDS', async () => {
  const { service, running } = await withRunningRequest({ SHUTDOWN_GRACE_SECONDS: '1' });
  const cut = once(running, 'response').catch((error: NodeJS.ErrnoException) => error.code);
  service.child.kill('SIGTERM');
  expect(await cut).toBe('ECONNRESET');
  expect((await service.ended).status).toBe(0);
});

it('is not delayed by idle keep-alive connections, nor by those that have never sent a request', async () => {
  const DATA_DIR = await scratchDirectory();
  const settings = { DATABASE_URL: await freshDatabaseUrl(), DATA_DIR, SHUTDOWN_GRACE_SECONDS: '600' };
  const service = await startService(settings);
  const { hostname, port } = new URL(service.url);
  await once(connect(Number(port), hostname), 'connect');
  const idle = connect(Number(port), hostname);
  idle.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(idle, 'data');
  service.child.kill('SIGTERM');
  expect((await service.ended).status).toBe(0);
  // With DATABASE_URL, the service starts no PostgreSQL.
  expect(await readdir(DATA_DIR)).toEqual(['master-key']);
});
