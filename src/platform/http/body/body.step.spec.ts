import { once } from 'node:events';
import { Agent, createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { ByteBudget } from '../../../base/kernel/bounds/byte-budget.js';
import type { Settings } from '../../config/settings.js';
import type { Check, Route } from '../access/access-step.js';
import { RECORDS_BODY } from './body.decorators.js';
import { BodyStep } from './body.step.js';
import { BodyMemory } from './body-reader.js';

const settings = {
  BODY_TIMEOUT_MS: 10_000,
  BODY_STALL_TIMEOUT_MS: 10_000,
  BODY_LIMIT_BYTES: 10_000_000,
} as Settings;
const route = { metadata: (key: string) => key === RECORDS_BODY || undefined } as unknown as Route;

/** `body` for the start of a body in the process, `turn` for each turn of its event loop. */
let order: string[];
/** Requests whose bodies the server waits for, and those that it has answered. */
let begun = 0;
const check = new BodyStep(settings, new BodyMemory(new ByteBudget(100_000_000))).checkFor(route) as Check;
const server = createServer(async (request, response) => {
  const express = { originalUrl: request.url };
  begun++;
  await check(Object.assign(request, express) as Parameters<Check>[0], response as Parameters<Check>[1]);
  order.push('body');
  response.end();
});
afterEach(() => server.close());

/** Sends bodies that have all arrived before the process reads the first of them. */
async function sendTogether(count: number, characters: number): Promise<void> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ maxSockets: count });
  const body = JSON.stringify({ name: 'x'.repeat(characters) });
  const requests = Array.from({ length: count }, () => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    return send({ port, host: '127.0.0.1', method: 'POST', agent, headers });
  });
  begun = 0;
  for (const each of requests) each.flushHeaders();
  while (begun < count) await nextTurn();
  for (const each of requests) each.end(body);
  const answered = Promise.all(requests.map(each => once(each, 'response')));
  const until = performance.now() + 100;
  while (performance.now() < until);
  order = [];
  let isOver = false;
  const turns = (async () => {
    for (; !isOver; await nextTurn()) order.push('turn');
  })();
  for (const [response] of await answered) response.resume();
  isOver = true;
  await turns;
  agent.destroy();
}

it('parses long bodies in turns of their own, with others in between', async () => {
  await sendTogether(4, 70_000);
  const text = order.join(' ');
  expect(text.match(/body/g)).toHaveLength(4);
  expect(text).not.toMatch(/body (turn )?body/);
});

it('parses short bodies as they come', async () => {
  await sendTogether(4, 1_000);
  expect(order.join(' ')).toContain('body body');
});
