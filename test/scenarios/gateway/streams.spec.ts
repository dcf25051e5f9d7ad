import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CredentialCache } from '../../../src/features/auth/credential-cache.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { type Home, insert, newCollection, newHome } from '../../harness/collection.js';
import { testPort } from '../../harness/port.js';
import { addressOf } from '../abuse/instances.js';
import { cookie, MovedClock, person } from '../auth/person.js';
import { follow, now, until } from '../changes/feed.js';
import { startSplit } from './split.js';
import { dial, sendRaw, startUpstream, type Upstream } from './upstream.js';

const MIB = 1024 * 1024;
/** The timeout of the impatient gateway: longer than an answer takes, also on a busy machine. */
const TIMEOUT_MS = '1500';

/** The behaviour of the service behind the gateway, by path. */
const handlers: Record<string, RequestListener> = {};
const handle = (path: string, handler: RequestListener) => {
  handlers[`/v2/odd/${path}`] = handler;
};

let odd: Upstream;
let app: TestApp;
/** The same gateway with short timeouts. */
let impatient: TestApp;
let home: Home;
beforeAll(async () => {
  odd = await startUpstream((request, response) => {
    const handler = handlers[request.url ?? ''];
    if (handler === undefined) response.writeHead(404).end();
    else handler(request, response);
  });
  const away = `http://127.0.0.1:${await testPort()}`;
  const environment = { GATEWAY_UPSTREAMS: JSON.stringify({ '/v2/odd': odd.origin, '/v2/away': away }) };
  app = await startOwnApp({ environment });
  impatient = await startOwnApp({
    environment: {
      ...environment,
      PUBLIC_URL: app.url,
      GATEWAY_TIMEOUT_MS: TIMEOUT_MS,
      GATEWAY_IDLE_TIMEOUT_MS: TIMEOUT_MS,
    },
  });
  home = await newHome(app);
});
afterAll(async () => {
  await impatient.close();
  await app.close();
  await odd.close();
});

function open(path: string, method = 'GET', headers: Record<string, string> = {}, gateway = app) {
  const request = httpRequest(`${addressOf(gateway)}/v2/odd/${path}`, {
    method,
    agent: false,
    headers: { authorization: `Bearer ${home.owner.token}`, ...headers },
  });
  request.on('error', () => {});
  const answer = once(request, 'response').then(([each]) => each as IncomingMessage);
  answer.catch(() => undefined);
  return { request, answer };
}

const ask = (path: string, method = 'GET', gateway = app) =>
  gateway.request(method, path, { token: home.owner.token as string });

describe('a service that does not answer', () => {
  it('is 502 when it cannot be reached, with the error of the contract and without its address', async () => {
    const { status, body, headers } = await ask('/v2/away/x');
    expect([status, body]).toEqual([
      502,
      {
        error: 'BadGateway',
        message: 'The service behind this path cannot be reached, or ended the connection.',
      },
    ]);
    expect(headers.get('x-correlation-id')).toBeTruthy();
  });

  it('is 504 when it takes too long, and is requested only once for every method', async () => {
    let asked = 0;
    handle('silent', request => {
      asked++;
      request.resume();
    });
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { status, body } = await ask('/v2/odd/silent', method, impatient);
      expect([status, body.error]).toEqual([504, 'GatewayTimeout']);
    }
    expect(asked).toBe(3);
  });

  it('is 502 when it ends the connection before it answers, and is requested only once', async () => {
    let asked = 0;
    handle('broken', request => {
      asked++;
      request.socket.destroy();
    });
    for (const method of ['GET', 'POST']) expect((await ask('/v2/odd/broken', method)).status).toBe(502);
    expect(asked).toBe(2);
  });

  it('ends the client’s connection when it ends its own within a response, which is then visibly incomplete', async () => {
    handle('half', (_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.socket?.destroy());
    });
    const { answer, request } = open('half');
    request.end();
    const { statusCode } = await answer;
    expect(statusCode).toBe(200);
    await expect(buffer(await answer)).rejects.toThrow();
  });

  it('is 502 when its response is not HTTP, and the gateway keeps running', async () => {
    handle('odd-status', request => {
      request.socket.end('HTTP/1.1 099 \x01odd\r\nContent-Length: 0\r\n\r\n');
    });
    handle('odd-reason', request => {
      request.socket.end('HTTP/1.1 200 \x01odd\xff\r\nContent-Length: 2\r\n\r\nok');
    });
    expect((await ask('/v2/odd/odd-status')).status).toBe(502);
    expect([200, 502]).toContain((await ask('/v2/odd/odd-reason')).status);
    expect((await ask('/v2/me')).status).toBe(200);
  });

  it('is disconnected after the idle timeout', async () => {
    handle('stalled', (_, response) => {
      response.writeHead(200);
      response.write('begun');
    });
    const { answer, request } = open('stalled', 'GET', {}, impatient);
    request.end();
    await expect(buffer(await answer)).rejects.toThrow();
  });
});

describe('a request in progress', () => {
  it('ends at the service when the client disconnects', async () => {
    const ended = new Promise<void>(resolve => {
      handle('endless', (request, response) => {
        response.write('begun');
        request.on('close', resolve);
      });
    });
    const { request, answer } = open('endless');
    request.end();
    await answer;
    request.destroy();
    await ended;
  });

  it('is visibly incomplete at the service when the client stops sending', async () => {
    let received = 0;
    const ended = new Promise<boolean>(resolve => {
      handle('upload', request => {
        request.on('data', chunk => (received += chunk.length));
        request.on('error', () => {});
        request.on('close', () => resolve(request.complete));
      });
    });
    const { request } = open('upload', 'POST', { 'content-length': '1000' });
    request.write('x'.repeat(300));
    await until(() => received === 300, 'the first part');
    request.destroy();
    expect([await ended, received]).toEqual([false, 300]);
  });

  it('is answered before its body is complete when the service refuses it early', async () => {
    handle('early', (_, response) => {
      response.writeHead(413, { 'content-type': 'application/json' }).end('{"error":"TooBig"}');
    });
    const { request, answer } = open('early', 'POST');
    request.write('x'.repeat(1000));
    const refusal = await answer;
    expect([refusal.statusCode, String(await buffer(refusal))]).toEqual([413, '{"error":"TooBig"}']);
    request.destroy();
  });

  it('is streamed in both directions at once, without buffering in the gateway', async () => {
    handle('mirror', (request, response) => {
      request.pipe(response);
    });
    const { request, answer } = open('mirror', 'POST');
    const piece = randomBytes(MIB);
    request.write(piece);
    const mirrored = await answer;
    const sent = createHash('sha256').update(piece);
    const received = createHash('sha256');
    const total = 256;
    let bytes = 0;
    let most = 0;
    const before = process.memoryUsage().arrayBuffers;
    mirrored.on('data', (chunk: Buffer) => {
      received.update(chunk);
      bytes += chunk.length;
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    });
    for (let n = 1; n < total; n++) {
      sent.update(piece);
      if (!request.write(piece)) await once(request, 'drain');
    }
    request.end();
    await once(mirrored, 'end');
    expect([bytes, received.digest('hex')]).toEqual([total * MIB, sent.digest('hex')]);
    expect(most).toBeLessThan((total / 2) * MIB);
  });

  it('slows the service down when the client does not read, without buffering in the gateway', async () => {
    let written = 0;
    handle('flood', (_, response) => {
      const chunk = randomBytes(MIB);
      const write = () => {
        while (written < 200 * MIB) {
          written += MIB;
          if (!response.write(chunk)) return void response.once('drain', write);
        }
        response.end();
      };
      write();
    });
    const { request, answer } = open('flood');
    request.end();
    const held = await answer;
    held.pause();
    let last = -1;
    await until(() => {
      const same = written === last;
      last = written;
      return same;
    }, 'the service to be slowed down');
    expect(written).toBeLessThan(100 * MIB);
    request.destroy();
  });
});

describe('Server-Sent Events', () => {
  it('begin before the first event, and arrive one by one', async () => {
    const senders: ((text: string) => void)[] = [];
    handle('events', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
      response.flushHeaders();
      senders.push(text => response.write(text));
    });
    const { request, answer } = open('events');
    request.end();
    const events = await answer;
    expect(events.headers['content-type']).toBe('text/event-stream');
    for (const text of ['data: 1\n\n', 'data: 2\n\n']) {
      senders[0]!(text);
      const [chunk] = await once(events, 'data');
      expect(String(chunk)).toBe(text);
    }
    request.destroy();
  });

  it('of a collection continue after their identity token expires, and end with the session', async () => {
    const clock = new MovedClock();
    const split = await startSplit({ clock });
    try {
      const there = await newHome(split.gateway);
      const books = await newCollection(split.gateway, there);
      const since = await now(split.gateway, books);
      const stream = await follow(split.gateway, books, { since });
      expect([stream.status, stream.headers['content-type']]).toEqual([
        200,
        'text/event-stream; charset=utf-8',
      ]);
      await insert(split.gateway, books, { title: 'Emma' });
      await until(() => stream.changes().length === 1, 'the change');
      clock.move(120);
      split.runtime.nest.get(CredentialCache).forget('all');
      await insert(split.gateway, books, { title: 'Persuasion' });
      await until(() => stream.changes().length === 2, 'the change after the identity has expired');
      split.runtime.nest.get(CredentialCache).forget('all');
      await insert(split.gateway, books, { title: 'Sanditon' });
      await until(() => stream.changes().length === 3, 'one more');
      await split.gateway.sql('UPDATE sessions SET revoked_at = now() WHERE id = $1', [
        there.org.owner.sessionId,
      ]);
      await until(() => stream.end() !== undefined, 'the end of the stream');
      expect(stream.end()).toMatchObject({ error: 'Unauthorized' });
    } finally {
      await split.close();
    }
  });
});

describe('WebSockets', () => {
  const handshake = (path: string, more: readonly string[]) => [
    `GET /v2/odd/${path} HTTP/1.1`,
    `Host: ${new URL(app.url).host}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...more,
  ];
  const upgraded: IncomingMessage[] = [];
  const sockets: Socket[] = [];
  beforeAll(() => {
    odd.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      upgraded.push(request);
      if (request.url === '/v2/odd/no-socket') {
        socket.end('HTTP/1.1 426 Upgrade Required\r\nContent-Length: 2\r\nX-Why: not\r\n\r\nno');
        return;
      }
      if (request.url === '/v2/odd/slow-socket') return;
      sockets.push(socket);
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
      socket.write(head);
      socket.on('error', () => {});
      socket.pipe(socket);
    });
  });

  /** The connection behind a handshake, and the bytes received on it. */
  const connect = async (path: string, more: readonly string[], gateway = app) => {
    const socket = await dial(addressOf(gateway));
    let text = '';
    socket.setEncoding('latin1').on('data', piece => (text += piece));
    socket.on('error', () => {});
    socket.write(`${handshake(path, more).join('\r\n')}\r\n\r\n`);
    return { socket, text: () => text, closed: once(socket, 'close') };
  };
  const bearer = () => `Authorization: Bearer ${home.owner.token}`;

  it('are forwarded in both directions, with the identity of the caller', async () => {
    const spoofed = [
      'X-Platform-User-Id: evil',
      'x_platform_user_id: evil',
      'Connection: x-platform-user-id',
    ];
    const { socket, text, closed } = await connect('socket', [bearer(), ...spoofed]);
    await until(() => text().includes('\r\n\r\n'), 'the switch');
    expect(text()).toMatch(/^HTTP\/1\.1 101 /);
    socket.write('ping');
    await until(() => text().endsWith('ping'), 'the echo');
    const { headers } = upgraded.at(-1)!;
    expect([
      headers['x-platform-user-id'],
      headers.upgrade,
      headers.connection,
      headers.authorization,
    ]).toEqual([home.org.owner.userId, 'websocket', 'Upgrade', undefined]);
    expect(JSON.stringify(headers)).not.toContain('evil');
    expect(headers['sec-websocket-key']).toBe('dGhlIHNhbXBsZSBub25jZQ==');
    const theirs = once(sockets.at(-1)!, 'close');
    socket.destroy();
    await theirs;
    await closed;
  });

  it('end with the session of their caller, as streams of the service do', async () => {
    handle('endless', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    });
    const { token, sessionId } = await person(app);
    const authorization = `Bearer ${token}`;
    const socket = await connect('socket', [`Authorization: ${authorization}`]);
    const { request, answer } = open('endless', 'GET', { authorization });
    request.on('error', () => {}).end();
    const stream = await answer;
    await until(() => socket.text().includes('\r\n\r\n'), 'the switch');
    stream.on('error', () => {});
    const closed = new Promise(resolve => stream.once('close', resolve));
    await app.sql('UPDATE sessions SET revoked_at = now() WHERE id = $1', [sessionId]);
    await Promise.all([socket.closed, closed]);
    expect(stream.complete).toBe(false);
  });

  it('end for the client when they end at the service, and after the idle timeout', async () => {
    const ended = await connect('socket', [bearer()]);
    await until(() => ended.text().includes('\r\n\r\n'), 'the switch');
    sockets.at(-1)!.destroy();
    await ended.closed;
    const idle = await connect('socket', [bearer()], impatient);
    await idle.closed;
    expect(idle.text()).toMatch(/^HTTP\/1\.1 101 /);
  });

  it('are refused like other requests, without reaching the service', async () => {
    const before = upgraded.length;
    const refused = async (path: string, more: readonly string[]) => {
      const { text, closed } = await connect(path, more);
      await closed;
      return [text().split(' ')[1], JSON.parse(text().split('\r\n\r\n')[1]!).error];
    };
    expect(await refused('socket', [])).toEqual(['401', 'Unauthorized']);
    expect(await refused('socket', ['Authorization: Bearer x'])).toEqual(['401', 'Unauthorized']);
    const [name, value] = Object.entries(cookie(home.owner.token as string))[0]!;
    // A page of another origin can open a WebSocket with the browser's cookie.
    expect(await refused('socket', [`${name}: ${value}`, 'Origin: https://evil.example'])).toEqual([
      '403',
      'CsrfRefused',
    ]);
    expect(await refused('socket', [`${name}: ${value}`])).toEqual(['403', 'CsrfRefused']);
    expect(upgraded.length).toBe(before);
    const ours = await connect('socket', [`${name}: ${value}`, `Origin: ${app.url}`]);
    await until(() => ours.text().startsWith('HTTP/1.1 101 '), 'the switch');
    ours.socket.destroy();
  });

  it('pass on the service’s refusal, and 502 or 504 without a response', async () => {
    const own = await connect('no-socket', [bearer()]);
    await own.closed;
    expect(own.text()).toMatch(/^HTTP\/1\.1 426 [\s\S]*x-why: not[\s\S]*\r\n\r\nno$/i);
    const slow = await connect('slow-socket', [bearer()], impatient);
    await slow.closed;
    expect(slow.text()).toMatch(/^HTTP\/1\.1 504 [\s\S]*"GatewayTimeout"/);
    const lines = handshake('x', [bearer()]).map(line => line.replace('/v2/odd/x', '/v2/away/x'));
    expect(await sendRaw(app.url, lines)).toMatch(/^HTTP\/1\.1 502 [\s\S]*"BadGateway"/);
  });

  it('to the platform itself are answered like other requests', async () => {
    const lines = handshake('x', [bearer()]).map(line => line.replace('/v2/odd/x', '/v2/me'));
    expect(await sendRaw(app.url, lines)).toMatch(/^HTTP\/1\.1 200 /);
  });
});
