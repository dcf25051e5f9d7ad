import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startCluster } from '../support/cluster.js';
import { openLink } from '../support/link.js';
import { type Trial, underLoad } from '../support/trial.js';

const AWAY_MS = 20_000;

it('the service uses a database again at once that was unreachable for 20 seconds, with or without an error', async () => {
  const cluster = await startCluster();
  const [silent, refusing] = [await openLink(cluster.url), await openLink(cluster.url)];
  const unreachable = async ({ service, load, recovered }: Trial) => {
    silent.freeze();
    await refusing.cut();
    const { refused } = load.outcomes;
    await pause(AWAY_MS / 2);
    for (const instance of service.instances) {
      const ready = await service.call(instance, 'GET', '/health/ready');
      expect([ready.status, Number(ready.retryAfter) > 0]).toEqual([503, true]);
      expect((await service.call(instance, 'GET', '/health/live')).status).toBe(200);
    }
    await pause(AWAY_MS / 2);
    expect(load.outcomes.refused).toBeGreaterThan(refused);
    await Promise.all([silent.mend(), refusing.mend()]);
    await recovered();
  };
  await underLoad(
    'Database unreachable for 20 s: one instance gets no answer, the other is refused',
    unreachable,
    {
      cluster,
      differing: [{ databaseUrl: silent.url }, { databaseUrl: refusing.url }],
    },
  );
});
