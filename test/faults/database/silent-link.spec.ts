import { expect, it } from 'vitest';
import { startCluster } from '../support/cluster.js';
import { DIRECTIONS, openLink, PIPELINE, REPLACED_WITHIN_MS } from '../support/link.js';
import { underLoad } from '../support/trial.js';

/** The connections that go silent together. Each connection is detected and replaced on its own. */
const SILENCED = [
  // All connections that carry reads by id: the second is open only if there were many reads. Then one of them.
  { [PIPELINE]: 2, 'typed-collections listen': 1 },
  { [PIPELINE]: 1, 'typed-collections': 3 },
];

it('connections whose link goes silent are replaced within seconds, and no read fails', async () => {
  const cluster = await startCluster();
  const link = await openLink(cluster.url);
  await underLoad(
    'Links that pass nothing any more, without a reset: of the pipeline, the pool and the listener',
    async ({ load, recovered }) => {
      for (const connections of SILENCED) {
        for (const direction of DIRECTIONS) {
          const { reads } = load.failed;
          const message = `${Object.keys(connections)}, ${direction}`;
          for (const [application, most] of Object.entries(connections)) {
            const least = application === PIPELINE ? 1 : most;
            // The listener may be reopening its connection at this moment; its heartbeat goes through the pool.
            await expect
              .poll(() => link.swallow(application, direction, most), { message })
              .toBeGreaterThanOrEqual(least);
          }
          await expect
            .poll(() => link.swallowed, { timeout: REPLACED_WITHIN_MS, interval: 50, message })
            .toBe(0);
          await recovered();
          await load.acknowledge(100);
          expect(load.failed.reads, `reads that failed: ${message}`).toBe(reads);
        }
      }
      expect(load.outcomes.dropped).toBe(0);
    },
    { cluster, differing: [{ databaseUrl: link.url }, {}] },
  );
});
