import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startCluster } from '../support/cluster.js';
import { Comparison, nothing } from '../support/comparison.js';
import { Neighbour } from '../support/neighbour.js';
import { type Service, startService } from '../support/service.js';
import { newTarget, type Target } from '../support/target.js';

const PHASE_MS = 3_000;
const MOST_TIMES = 1.5;
const DRIP_MS = 250;
/** Bodies of each size, at each instance. */
const OF_EACH_SIZE = 30;
/** Too small to count against the memory for bodies, and so large that some of them take the organization's half. */
const SIZES = [100_000, 9_000_000];
const MEMORY_BUDGET_BYTES = 512 * 1024 * 1024;
/** A body of the neighbour that counts against that memory as well. */
const NEIGHBOUR_BYTES = 300_000;

/** Writes whose bodies come one character at a time. */
function slowBodies({ urls, key }: Service, { path }: Target): Socket[] {
  const sizes = Array.from({ length: OF_EACH_SIZE }, () => SIZES).flat();
  return urls.flatMap(url =>
    sizes.map(size => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
      socket.write(
        `POST ${path}/data HTTP/1.1\r\nHost: localhost\r\nx-platform-api-key: ${key}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${size}\r\n\r\n{"records": [`,
      );
      const timer = setInterval(() => socket.write(' '), DRIP_MS);
      socket.once('close', () => clearInterval(timer));
      onTestFinished(() => void socket.destroy());
      return socket;
    }),
  );
}

it('requests of another organization, with small and large bodies, take at most 1.5 times as long while many bodies trickle in, and none fails', async () => {
  const cluster = await startCluster();
  const environment = { MEMORY_BUDGET_BYTES: String(MEMORY_BUDGET_BYTES) };
  const service = await startService(cluster, [{ environment }, { environment }]);
  const target = await newTarget(service);
  const neighbour = await Neighbour.start(service, { largeBytes: NEIGHBOUR_BYTES });
  const comparison = await Comparison.of(
    neighbour,
    {
      quiet: nothing(PHASE_MS),
      faulty: async () => {
        const slow = slowBodies(service, target);
        await pause(PHASE_MS);
        expect(slow.filter(({ destroyed }) => destroyed)).toEqual([]);
        for (const socket of slow) socket.destroy();
      },
    },
    each => each.ratio('p95') <= MOST_TIMES,
  );
  await neighbour.stop();
  await comparison.note(`${2 * SIZES.length * OF_EACH_SIZE} slow bodies`);
  expect(neighbour.failed).toEqual([]);
  expect(comparison.ratio('p95'), `${comparison}`).toBeLessThanOrEqual(MOST_TIMES);
  await service.end();
});
