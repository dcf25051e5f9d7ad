import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import {
  closeStalled,
  closeUnusedWhenStopping,
  closeWithConnection,
  serveUpgrades,
  whenClosed,
} from './connections.js';
import { drain } from './listening.js';
import { acceptFirst } from './newcomers.js';

it('a WebSocket that stays open does not keep the service from stopping', async () => {
  const server = createServer();
  serveUpgrades(server, ({ switching }) => {
    switching?.socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  await once(socket, 'data');
  await drain(server, 0.1);
  await closed;
  expect(socket.destroyed).toBe(true);
});

it('a connection on which nothing arrives does not keep the service from stopping, and a request is answered', async () => {
  const server = createServer((_, response) => setTimeout(() => response.end('answer'), 200));
  closeUnusedWhenStopping(server);
  acceptFirst(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const open = async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const [unused, asking] = [await open(), await open()];
  const received = text(asking);
  asking.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const closed = once(unused.resume(), 'close');
  await drain(server, 600);
  await closed;
  expect(await received).toContain('answer');
});

/** More than the operating system takes for a client that does not read. */
const LONG_BYTES = 64 * 1024 * 1024;

it('closes a connection whose client does not read its response, and none whose response is late', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/late') setTimeout(() => response.end('late'), 300);
    else response.end(Buffer.alloc(LONG_BYTES));
  });
  closeStalled(server, 50);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const unread = connect(port, '127.0.0.1').pause();
  const served = once(server, 'request');
  unread.write('GET /unread HTTP/1.1\r\nHost: x\r\n\r\n');
  const [, response] = (await served) as [unknown, ServerResponse];
  const closed = once(response, 'close');
  const late = await fetch(`http://127.0.0.1:${port}/late`);
  expect(await late.text()).toBe('late');
  await closed;
  let received = 0;
  unread
    .on('error', () => undefined)
    .on('data', chunk => {
      received += chunk.length;
    });
  await new Promise(resolve => unread.on('close', resolve).resume());
  expect(received).toBeLessThan(LONG_BYTES);
  server.close();
});

it('responses that wait behind an earlier one close with their connection, and Node closes the others', async () => {
  const responses: ServerResponse[] = [];
  const server = createServer((request, response) => {
    closeWithConnection(request, response);
    if (responses.push(response) === 2) responses[0]?.end('first');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const closed: number[] = [];
  server.on('request', (_, response: ServerResponse) => {
    const n = responses.indexOf(response);
    response.on('close', () => closed.push(n));
  });
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(4));
  await expect.poll(() => [responses.length, closed]).toEqual([4, [0]]);
  socket.destroy();
  await expect.poll(() => closed.toSorted()).toEqual([0, 1, 2, 3]);
  expect(responses.map(response => [response.closed, response.destroyed])).toEqual(
    responses.map(() => [true, true]),
  );
  let late = 0;
  for (const response of responses) whenClosed(response, () => late++);
  expect(late).toBe(4);
  server.close();
});

it.each(['websocket', 'other'])(
  'a request with Upgrade: %s that is pipelined behind an unanswered one gets no response, and the connection ends',
  async offered => {
    let served = 0;
    const server = createServer((_, response) => {
      served++;
      setTimeout(() => response.end('first'), 50);
    });
    serveUpgrades(server, () => served++);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const received: string[] = [];
    socket.on('data', chunk => received.push(String(chunk)));
    const offer = `GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${offered}\r\n`;
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\n\r\n${offer}Content-Length: 1\r\n\r\n`);
    await once(socket, 'close');
    expect(received.join('').match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(received.join('')).toContain('first');
    expect(served).toBe(1);
    server.close();
  },
);
