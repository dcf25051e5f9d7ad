import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { startCluster } from '../support/cluster.js';
import { Comparison } from '../support/comparison.js';
import { Neighbour } from '../support/neighbour.js';
import { startService } from '../support/service.js';
import { newTarget, tablesOf } from '../support/target.js';

/** Long enough that the requests of the busy organization would fill the pools, if it could have them all. */
const PHASE_MS = 3_000;
/** The promise. */
const MOST_TIMES = 1.5;
/** The busy organization sends 20 requests per second, locked or not. */
const EVERY_MS = 50;

it('requests of another organization take at most 1.5 times as long while a table is locked, and none fails', async () => {
  const cluster = await startCluster();
  const service = await startService(cluster);
  const target = await newTarget(service);
  const { table } = await tablesOf(cluster, target.id);
  const client = new pg.Client({ connectionString: cluster.url });
  await client.connect();
  onTestFinished(() => client.end());

  let sent = 0;
  /** Sends requests of the busy organization for the time of a phase. Resolves to their answers. */
  const use = async () => {
    const answers: ReturnType<typeof service.call>[] = [];
    for (const end = performance.now() + PHASE_MS; performance.now() < end; sent++) {
      const instance = service.instances[sent % 2] as (typeof service.instances)[0];
      const path = `${target.path}/data`;
      const body = { records: { mark: `m${sent}`, op: 'x' } };
      const filter = { mark: `m${sent - 10}` };
      answers.push(
        [
          () => service.call(instance, 'POST', path, { body }),
          () => service.call(instance, 'POST', `${path}/query`, { body: { filter } }),
          () => service.call(instance, 'PATCH', path, { body: { filter, update: { op: 'y' } } }),
        ][Math.floor(sent / 2) % 3]?.() as (typeof answers)[0],
      );
      await pause(EVERY_MS);
    }
    return answers;
  };
  const statuses = async (answers: Awaited<ReturnType<typeof use>>) =>
    new Set((await Promise.all(answers)).map(({ status }) => status));

  const neighbour = await Neighbour.start(service);
  const waiting: Promise<Set<number>>[] = [];
  const comparison = await Comparison.of(
    neighbour,
    {
      quiet: async () => {
        // The requests that waited for the lock are answered first.
        await Promise.all(waiting);
        waiting.push(statuses(await use()));
      },
      faulty: async () => {
        await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
        waiting.push(statuses(await use()));
        await client.query('COMMIT');
      },
    },
    each => each.ratio('p95') <= MOST_TIMES,
  );
  await neighbour.stop();
  await comparison.note('Table of a collection locked');
  for (const each of await Promise.all(waiting)) expect([...each]).toEqual([200]);
  expect(neighbour.failed).toEqual([]);
  expect(comparison.ratio('p95'), `${comparison}`).toBeLessThanOrEqual(MOST_TIMES);
  await service.end();
});
