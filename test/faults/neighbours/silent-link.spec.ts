import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startCluster } from '../support/cluster.js';
import { Comparison, nothing } from '../support/comparison.js';
import { DIRECTIONS, type Direction, openLink, PIPELINE, REPLACED_WITHIN_MS } from '../support/link.js';
import { Neighbour } from '../support/neighbour.js';
import { startService } from '../support/service.js';

/** Median of all requests while connections are silent, and 95% of them right afterwards. */
const MOST_TIMES = 1.5;
const PHASE_MS = 3_000;

it('while connections of one instance are silent, no read fails, each request takes at most the time of their replacement longer, and half of the requests at most 1.5 times as long; after it, 95% of them', async () => {
  const cluster = await startCluster();
  const link = await openLink(cluster.url);
  const service = await startService(cluster, [{ databaseUrl: link.url }, {}]);
  const neighbour = await Neighbour.start(service);
  let [round, silenced] = [0, 0];
  const comparison = await Comparison.of(
    neighbour,
    {
      quiet: nothing(PHASE_MS),
      faulty: async () => {
        const direction = DIRECTIONS[round++ % DIRECTIONS.length] as Direction;
        silenced += link.swallow('typed-collections', direction, 3);
        // The second connection is open only if there were many reads.
        expect(link.swallow(PIPELINE, direction, 2)).toBeGreaterThan(0);
        await expect.poll(() => link.swallowed, { timeout: REPLACED_WITHIN_MS, interval: 20 }).toBe(0);
      },
      after: () => pause(PHASE_MS),
    },
    isIsolated,
  );
  await neighbour.stop();
  await comparison.note('Links of the pipeline and the pool silent');
  // A write is not sent again, because it may have been executed.
  const { failed } = neighbour;
  expect(failed.filter(({ kind, status }) => kind !== 'write' || status !== 503)).toEqual([]);
  expect(failed.length).toBeLessThanOrEqual(silenced);
  expect(comparison.slowest('faulty')).toBeLessThan(REPLACED_WITHIN_MS + comparison.slowest('quiet'));
  expect(isIsolated(comparison), `${comparison}`).toBe(true);
  await service.end();
});

function isIsolated(comparison: Comparison): boolean {
  return comparison.ratio('median') <= MOST_TIMES && comparison.ratio('p95', 'after') <= MOST_TIMES;
}
