import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ByteBudget } from '../../../src/base/kernel/bounds/byte-budget.js';
import { ChangeStreams } from '../../../src/features/changes/change-streams.service.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { type Home, insert, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { credentials, metaOf } from '../mcp/client.js';
import { ask, follow, leaveDuringRead, now, until } from './feed.js';

let app: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startOwnApp({ environment: { CHANGES_MAX_STREAMS_PER_CALLER: '1' } });
  home = await newHome(app);
});
afterAll(() => app.close());

const memory = () => app.nest.get(ByteBudget).state.used;
const streams = () => app.nest.get(ChangeStreams, { strict: false }).count;

const pathOf = ({ path }: TestCollection, since: string) =>
  `${path}/changes?${new URLSearchParams({ since })}`;

describe('a client that disconnects while the service reads its changes', () => {
  it('leaves no memory of a large list counted', async () => {
    const collection = await newCollection(app, home);
    const since = await now(app, collection);
    await insert(app, collection, ...Array.from({ length: 5 }, (_, n) => ({ n, text: 'x'.repeat(100_000) })));
    const list = await ask(app, collection, { since });
    expect(list.text.length).toBeGreaterThan(500_000);
    const headers = credentials(home.owner);
    const response = await leaveDuringRead(app, pathOf(collection, since), { headers });
    await until(() => response.writableEnded, 'the end of the answer');
    await expect.poll(memory).toBe(0);
  });

  it('has no stream, so that the limits of streams do not count it', async () => {
    const collection = await newCollection(app, home);
    const since = await now(app, collection);
    await insert(app, collection, ...Array.from({ length: 5 }, (_, n) => ({ n, text: 'x'.repeat(100_000) })));
    const headers = { ...credentials(home.owner), accept: 'text/event-stream' };
    await leaveDuringRead(app, pathOf(collection, since), { headers });
    await expect.poll(streams).toBe(0);
    expect(memory()).toBe(0);
    const stream = await follow(app, collection);
    expect(stream.status).toBe(200);
    stream.close();
    await expect.poll(streams).toBe(0);
  });

  it('has no stream when it has subscribed through MCP', async () => {
    const { id } = await newCollection(app, home);
    const resourceSubscriptions = [`collection://${id}/sample`];
    const params = { notifications: { resourceSubscriptions }, _meta: metaOf('2026-07-28') };
    await leaveDuringRead(app, '/v1/mcp', {
      method: 'POST',
      headers: {
        ...credentials(home.owner),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'subscriptions/listen', params }),
    });
    await expect.poll(streams).toBe(0);
  });
});

it('a connection that closes with several unanswered requests leaves no stream and no memory behind', async () => {
  const collection = await newCollection(app, home);
  const since = await now(app, collection);
  await insert(app, collection, ...Array.from({ length: 5 }, (_, n) => ({ n, text: 'x'.repeat(100_000) })));
  const { hostname, port } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  const head = (accept: string) => {
    const fields = { host: hostname, accept, ...credentials(home.owner) };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    return `GET ${pathOf(collection, since)} HTTP/1.1\r\n${lines.join('')}\r\n`;
  };
  // The answers wait behind the stream, which does not end.
  socket.write(head('text/event-stream') + head('application/json') + head('application/json'));
  await expect.poll(memory).toBeGreaterThan(1_000_000);
  expect(streams()).toBe(1);
  socket.destroy();
  await expect.poll(() => [streams(), memory()]).toEqual([0, 0]);
});
