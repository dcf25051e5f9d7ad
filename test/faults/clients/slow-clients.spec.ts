import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { Instance } from '../support/instance.js';
import type { Service } from '../support/service.js';
import type { Target } from '../support/target.js';
import { underLoad } from '../support/trial.js';

const OF_EACH_KIND = 60;
const DRIP_MS = 200;
const WIDE = 1_500;

/** Sends a text one character at a time, so slowly that it never ends. */
function drip(socket: Socket, text: string): void {
  let sent = 0;
  const timer = setInterval(() => socket.write(text.charAt(sent++ % text.length)), DRIP_MS);
  socket.once('close', () => clearInterval(timer));
}

function open(instance: Instance, head: string): Socket {
  const { port } = new URL(instance.url);
  const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  socket.write(head);
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Headers that never end. */
function slowHead(instance: Instance): Socket {
  const socket = open(instance, 'GET /v1/collections HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
  drip(socket, 'x');
  return socket;
}

/** A write whose body never ends. */
function slowBody(instance: Instance, { key }: Service, { path }: Target): Socket {
  const socket = open(
    instance,
    `POST ${path}/data HTTP/1.1\r\nHost: localhost\r\nx-platform-api-key: ${key}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"records": [',
  );
  drip(socket, '{"mark":"never"},');
  return socket;
}

/** A long answer that the client does not read. */
function slowReader(instance: Instance, { key }: Service, path: string): Socket {
  const socket = open(
    instance,
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nx-platform-api-key: ${key}\r\n\r\n`,
  );
  return socket.pause();
}

it('clients that send and read almost nothing do not delay other clients', () =>
  underLoad(`${8 * OF_EACH_KIND} slow clients`, async ({ service, target, load, cluster }) => {
    const records = Array.from({ length: WIDE }, (_, n) => ({ mark: `wide-${n}`, text: 'x'.repeat(1_000) }));
    const filled = await service.call(service.instances[0], 'POST', `${target.path}/data/bulk`, {
      body: { records },
    });
    expect(filled.status).toBe(201);
    const wide = `${target.path}/data?limit=1000&filter=${encodeURIComponent('{"text": {"$exists": true}}')}`;
    const slow = service.instances.flatMap(instance =>
      Array.from({ length: OF_EACH_KIND }, () => [
        slowHead(instance),
        slowBody(instance, service, target),
        slowReader(instance, service, wide),
        slowReader(instance, service, `${target.path}/export?format=ndjson`),
      ]).flat(),
    );
    await load.acknowledge(1_000);
    expect(load.outcomes).toMatchObject({ refused: 0, dropped: 0 });
    expect(slow.filter(socket => !socket.destroyed).length).toBeGreaterThan(slow.length / 2);
    const [{ n }] = await cluster.sql(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE usename = 'service' AND state LIKE 'idle in transaction%'`,
    );
    // Each export holds a connection; only a few run at a time.
    expect(n).toBeLessThan(20);
    for (const socket of slow) socket.destroy();
  }));
