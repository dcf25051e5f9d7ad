import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { serveUpgrades } from './connections.js';
import { drain } from './listening.js';

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
