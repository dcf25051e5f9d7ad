import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import {
  type Home,
  insert,
  newCollection,
  newHome,
  search,
  type TestCollection,
} from '../../harness/collection.js';
import { exportFile, importFile } from './transfer.js';

/** More than the buffers between a client and the service hold. */
const WIDE = Array.from({ length: 900 }, (_, n) => ({ name: `n${n}`, text: 'x'.repeat(10_000) }));
const SLOW = 8;

async function started(environment: Record<string, string> = {}): Promise<TestApp> {
  const app = await startOwnApp({ database: 'own', environment });
  onTestFinished(() => app.close());
  return app;
}

async function filled(app: TestApp, home: Home): Promise<TestCollection> {
  const collection = await newCollection(app, home, { settings: { max_records: 20_000 } });
  for (let at = 0; at < 2; at++) await insert(app, collection, ...WIDE);
  return collection;
}

/** A connection that has sent part of a request, and whether the service has closed it. */
function open(app: TestApp, head: string): { readonly socket: Socket; readonly isClosed: () => boolean } {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1').on('error', () => undefined);
  let closed = false;
  socket.once('close', () => (closed = true));
  socket.write(head);
  onTestFinished(() => void socket.destroy());
  return { socket, isClosed: () => closed };
}

/** An export that its client does not read. */
function slowExport(app: TestApp, { path, owner }: TestCollection) {
  const head = `GET ${path}/export?format=ndjson HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${owner.token}\r\n\r\n`;
  const slow = open(app, head);
  slow.socket.pause();
  return slow;
}

/** An import that sends this many bytes from time to time. */
function slowImport(app: TestApp, { path, owner }: TestCollection, bytes = 1) {
  const slow = open(
    app,
    `POST ${path}/import HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${owner.token}\r\n` +
      'Content-Type: text/csv\r\nContent-Length: 100000\r\n\r\nname\r\n',
  );
  const drip = setInterval(() => slow.socket.write('x'.repeat(bytes)), 100);
  slow.socket.once('close', () => clearInterval(drip)).resume();
  return slow;
}

const sessions = (app: TestApp, kind: string) =>
  app.sql(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'typed-collections ${kind}'`,
  );

describe('imports and exports', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startOwnApp({ database: 'own' });
    home = await newHome(app);
    return () => app.close();
  });

  it.each([
    ['exports', slowExport],
    ['imports', slowImport],
  ])('of other callers are admitted while one caller has many slow %s', async (_, slow) => {
    const collection = await filled(app, home);
    const neighbour = await filled(app, await newHome(app));
    const slowOnes = Array.from({ length: SLOW }, () => slow(app, collection));
    const kind = slow === slowExport ? 'export' : 'import';
    await expect.poll(async () => (await sessions(app, kind)).length).toBe(2);
    const answers = await Promise.all([
      exportFile(app, neighbour, { format: 'ndjson' }),
      importFile(app, neighbour, 'name\nAda\n'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await sessions(app, kind)).toHaveLength(2);
    // Other transfers of the same caller wait until one of the slow ones reaches its time limit.
    const mine = await exportFile(app, collection);
    expect([mine.status, mine.body.error]).toEqual([503, 'Unavailable']);
    expect(mine.body.message).toContain('Wait until one of yours has ended');
    expect(Number(mine.headers.get('retry-after'))).toBeGreaterThan(0);
    for (const { socket } of slowOnes) socket.destroy();
    await expect.poll(async () => (await sessions(app, kind)).length).toBe(0);
  });

  it('end as exports when the session of the caller does, although the client takes nothing', async () => {
    const collection = await filled(app, await newHome(app));
    const slow = slowExport(app, collection);
    await expect.poll(async () => (await sessions(app, 'export')).length).toBe(1);
    expect((await app.request('POST', '/v2/logout', collection.owner)).status).toBe(204);
    await expect.poll(async () => (await sessions(app, 'export')).length).toBe(0);
    slow.socket.resume();
    await expect.poll(slow.isClosed).toBe(true);
  });
});

it('end if their client is slower than the minimum rate, without affecting others', async () => {
  const app = await started({ TRANSFER_RATE_WINDOW_SECONDS: '1', TRANSFER_MIN_BYTES_PER_SECOND: '1000' });
  const collection = await filled(app, await newHome(app));
  const slow = [slowExport(app, collection), slowImport(app, collection)];
  for (const kind of ['export', 'import']) {
    await expect.poll(async () => (await sessions(app, kind)).length).toBe(1);
  }
  for (const kind of ['export', 'import']) {
    await expect.poll(async () => (await sessions(app, kind)).length).toBe(0);
  }
  // A client sees the end after it has read the bytes sent before.
  for (const { socket } of slow) socket.resume();
  await expect.poll(() => slow.map(({ isClosed }) => isClosed())).toEqual([true, true]);
  const { status, text } = await exportFile(app, collection, { format: 'ndjson' });
  expect([status, text.split('\n').length - 1]).toEqual([200, 2 * WIDE.length]);
});

it('end as exports after the maximum duration, together with their snapshot', async () => {
  const app = await started({ TRANSFER_MAX_SECONDS: '2', TRANSFER_MIN_BYTES_PER_SECOND: '0' });
  const collection = await filled(app, await newHome(app));
  const served = new Promise<Socket>(resolve => app.nest.getHttpServer().once('connection', resolve));
  const slow = slowExport(app, collection);
  await expect.poll(async () => (await sessions(app, 'export')).length).toBe(1);
  await delay(1_000);
  expect(await sessions(app, 'export')).toHaveLength(1);
  await expect.poll(async () => (await sessions(app, 'export')).length).toBe(0);
  // The service closes the connection itself, although the client has read nothing that was sent.
  await expect.poll(async () => (await served).destroyed).toBe(true);
  slow.socket.resume();
  // The file is truncated and must not look complete.
  await expect.poll(slow.isClosed).toBe(true);
});

describe('after the maximum duration an import ends and writes nothing', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startOwnApp({
      database: 'own',
      environment: { TRANSFER_MAX_SECONDS: '1', TRANSFER_MIN_BYTES_PER_SECOND: '0' },
    });
    return () => app.close();
  });

  /** Sends pieces until it is answered. */
  async function endless(
    { path, owner }: TestCollection,
    piece: (n: number) => Uint8Array,
    { query = '', headers = {} } = {},
  ): Promise<Response> {
    let isAnswered = false;
    async function* pieces() {
      for (let n = 0; !isAnswered; n++) {
        yield piece(n);
        await delay(50);
      }
    }
    const answer = await fetch(`${app.url}${path}/import${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/x-ndjson', ...headers },
      body: ReadableStream.from(pieces()),
      duplex: 'half',
    } as RequestInit);
    isAnswered = true;
    return answer;
  }

  it.each([
    ['rows', (n: number) => Buffer.from(`{"n":${n}}\n`), {}],
    ['empty lines', () => Buffer.from('\n'), {}],
    ['rows that do not fit', () => Buffer.from('7\n'), { query: '?on_error=skip' }],
    // The name of the packed file, which does not end: nothing can be unpacked.
    [
      'packed bytes without a text',
      (n: number) => Buffer.from(n === 0 ? [0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 0] : [0x61]),
      { headers: { 'content-encoding': 'gzip' } },
    ],
  ])('while a client sends %s', async (_, piece, sending) => {
    const collection = await newCollection(app, await newHome(app));
    const answer = await endless(collection, piece, sending);
    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      { error: 'Unavailable', message: expect.stringContaining('took longer than 1 seconds') },
    ]);
    expect((await search(app, collection)).records).toEqual([]);
    expect(await sessions(app, 'import')).toEqual([]);
  });

  it('while a client sends nothing', async () => {
    const collection = await newCollection(app, await newHome(app));
    const { socket, isClosed } = slowImport(app, collection, 0);
    socket.resume();
    await expect.poll(isClosed).toBe(true);
    expect((await search(app, collection)).records).toEqual([]);
  });
});
