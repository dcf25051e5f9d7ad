import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { ConsoleFiles } from './console-files.js';

it('shows how to build the console at every address if it is not built', async () => {
  const files = new ConsoleFiles(join(tmpdir(), 'no-console-here'));
  expect(files.areBuilt).toBe(false);
  const app = express().use((request, response) => files.send(request, response));
  const server = createServer(app).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (const path of ['/console', '/console/assets/index.js']) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    expect([path, answer.status]).toEqual([path, 503]);
    expect(await answer.text()).toContain('<code>npm run build</code>');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  }
});
