import type { Server } from 'node:http';
import express from 'express';
import { expect, it, vi } from 'vitest';
import { PlatformAdapter } from './platform-adapter.js';

it('lets as many connections wait to be accepted as may be open', () => {
  const adapter = new PlatformAdapter(express());
  adapter.initHttpServer();
  const server: Server = adapter.getHttpServer();
  const listen = vi.spyOn(server, 'listen').mockReturnValue(server);
  adapter.limitConnections(65_000, 9_000);
  const listening = () => undefined;
  adapter.listen(3_000, '127.0.0.1', listening);
  expect(listen).toHaveBeenCalledWith({ port: 3_000, host: '127.0.0.1', backlog: 9_000 }, listening);
});
