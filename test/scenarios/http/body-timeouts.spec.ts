import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import {
  insert,
  newHome,
  newTypedCollection,
  search,
  type TestCollection,
} from '../../harness/collection.js';
import { newKey } from '../orgs/org.js';

const STALL_MS = 1_000;
const TOTAL_MS = 4_000;

describe('a request body that the service buffers', () => {
  let app: TestApp;
  let books: TestCollection;
  let apiKey: string;
  beforeAll(async () => {
    app = await startOwnApp({
      environment: { BODY_STALL_TIMEOUT_MS: String(STALL_MS), BODY_TIMEOUT_MS: String(TOTAL_MS) },
    });
    const home = await newHome(app);
    books = await newTypedCollection(app, home);
    ({ apiKey } = await newKey(app, home.org));
  });
  afterAll(() => app.close());

  /** Sends the headers of an insert. `received` is the response until the service closed the connection. */
  function begin(length: number, headers = ''): { socket: Socket; received: Promise<string> } {
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    const chunks: Buffer[] = [];
    socket.on('data', chunk => chunks.push(chunk)).on('error', () => undefined);
    socket.write(
      `POST ${books.data} HTTP/1.1\r\nHost: localhost\r\nx-platform-api-key: ${apiKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${length}\r\n${headers}\r\n`,
    );
    return { socket, received: once(socket, 'close').then(() => Buffer.concat(chunks).toString()) };
  }

  function expectLate(answer: string): void {
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
    expect(body).toEqual({ error: 'RequestTimeout', message: expect.stringMatching(/Nothing was written/) });
  }

  it.each(['', 'Content-Encoding: gzip\r\n'])('is refused with 408 when it stalls, %s', async headers => {
    const text = JSON.stringify({ records: { title: 'stalled' } });
    const bytes = headers === '' ? Buffer.from(text) : gzipSync(text);
    const { socket, received } = begin(bytes.length, headers);
    socket.write(bytes.subarray(0, -1));
    // Other requests are served meanwhile.
    await insert(app, books, { title: 'meanwhile' });
    expectLate(await received);
    expect((await search(app, books, { filter: { title: 'stalled' } })).records).toEqual([]);
  });

  it('is refused with 408 when it takes too long, even if bytes keep arriving', async () => {
    const { socket, received } = begin(1_000_000);
    const timer = setInterval(() => socket.write(' '), STALL_MS / 10);
    onTestFinished(() => clearInterval(timer));
    const answer = await received;
    expectLate(answer);
    expect(answer).toContain('smaller parts');
  });

  it('may be slow within these timeouts', async () => {
    const text = JSON.stringify({ records: { title: 'slow' } });
    const { socket, received } = begin(text.length, 'Connection: close\r\n');
    for (let at = 0; at < text.length; at += 16) {
      socket.write(text.slice(at, at + 16));
      await pause(STALL_MS / 10);
    }
    expect(await received).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('the HTTP server', () => {
  it('has no age limit for requests, keeps connections longer than load balancers do, and announces the timeout', async () => {
    const app = await startOwnApp();
    onTestFinished(() => app.close());
    const server = app.nest.getHttpServer() as Server;
    expect(server.requestTimeout).toBe(0);
    expect(server.headersTimeout).toBeGreaterThan(0);
    expect((await app.request('GET', '/health/live')).headers.get('keep-alive')).toBe('timeout=65');
  });

  it('keeps MAX_CONNECTIONS connections for KEEP_ALIVE_TIMEOUT_MS', async () => {
    const app = await startOwnApp({ environment: { KEEP_ALIVE_TIMEOUT_MS: '2000', MAX_CONNECTIONS: '50' } });
    onTestFinished(() => app.close());
    expect((await app.request('GET', '/health/live')).headers.get('keep-alive')).toBe('timeout=2');
    expect((app.nest.getHttpServer() as Server).maxConnections).toBe(50);
  });
});
