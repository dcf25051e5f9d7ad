import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { acceptFirst } from './newcomers.js';

const CLIENTS = 64;

/** Opens connections at once, each with one request. Returns how many were accepted before each request, and their order. */
async function serveAll() {
  const server = createServer();
  acceptFirst(server);
  let accepted = 0;
  const before: number[] = [];
  const order: number[] = [];
  server.on('connection', () => (accepted += 1));
  server.on('request', (request, response) => {
    before.push(accepted);
    order.push(Number(request.url?.slice(1)));
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  await Promise.all(
    Array.from({ length: CLIENTS }, (_, index) => {
      const socket = connect(port, '127.0.0.1').resume();
      socket.write(`GET /${index} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      return once(socket, 'close');
    }),
  );
  return { before, order };
}

it('connections that were opened together are accepted before most of their requests are read', async () => {
  const { before, order } = await serveAll();
  expect(before.filter(accepted => accepted < CLIENTS).length).toBeLessThanOrEqual(CLIENTS / 16);
  expect(order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: CLIENTS }, (_, index) => index));
});

it('of connections that wait to be read, the newest does not wait for all that came earlier, nor the oldest for the newest', async () => {
  const { order } = await serveAll();
  expect(order.indexOf(CLIENTS - 1)).toBeLessThan(CLIENTS / 8);
  expect(order.indexOf(0)).toBeLessThan(CLIENTS / 8);
});
