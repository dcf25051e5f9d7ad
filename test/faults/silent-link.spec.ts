import { expect, it } from 'vitest';
import { startCluster } from './cluster.js';
import { type Direction, openLink } from './link.js';
import { underLoad } from './trial.js';

/** The promised time, plus a margin for a slow machine. The operating system would take a quarter of an hour. */
const REPLACED_WITHIN_MS = 5_000 + 5_000;

const CONNECTIONS = [
  // First both connections that carry reads by id, then one of them.
  { of: 'the read pipeline', application: 'typed-collections pipeline', most: 2 },
  { of: 'the read pipeline', application: 'typed-collections pipeline', most: 1 },
  { of: 'the pool', application: 'typed-collections', most: 3 },
  { of: 'the listener', application: 'typed-collections listen', most: 1 },
] as const;
const DIRECTIONS: readonly Direction[] = ['both ways', 'to the client', 'to the server'];

it('connections whose link goes silent are replaced within seconds, and no read fails', async () => {
  const cluster = await startCluster();
  const link = await openLink(cluster.url);
  await underLoad(
    'Links that pass nothing any more, without a reset: of the pipeline, the pool and the listener',
    async ({ load, recovered }) => {
      for (const { of, application, most } of CONNECTIONS) {
        for (const direction of DIRECTIONS) {
          const { reads } = load.failed;
          // The listener may be reopening its connection at this moment; its heartbeat goes through the pool.
          await expect.poll(() => link.swallow(application, direction, most), { message: of }).toBe(most);
          await expect
            .poll(() => link.swallowed, {
              timeout: REPLACED_WITHIN_MS,
              interval: 50,
              message: `${of}, ${direction}`,
            })
            .toBe(0);
          await recovered();
          await load.acknowledge(100);
          expect(load.failed.reads, `reads that failed: ${of}, ${direction}`).toBe(reads);
        }
      }
      expect(load.outcomes.dropped).toBe(0);
    },
    { cluster, differing: [{ databaseUrl: link.url }, {}] },
  );
});
