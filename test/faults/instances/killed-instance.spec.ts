import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Instance } from '../support/instance.js';
import { underLoad } from '../support/trial.js';
import { startVictim } from './victim.js';

const MAX_RECORDS = 2_000;
const CLIENTS = 4;
/** Time from the end of the lease until the collection is full: for the count, on a slow machine. */
const FULL_WITHIN_MS = 30_000;

it('after kill -9 of one instance no acknowledged write is lost, and the other instance goes on', () =>
  underLoad('`kill -9` of an instance, one after the other', async ({ service, load, recovered }) => {
    for (const instance of service.instances) {
      const { dropped } = load.outcomes;
      await instance.kill();
      await recovered();
      await load.acknowledge(100);
      expect(load.outcomes.dropped).toBeGreaterThan(dropped);
      await instance.restart();
      await recovered();
    }
    expect(load.outcomes.refused).toBe(0);
  }));

it('quota leased by an instance that is killed with kill -9 is returned, and the other instance fills the collection exactly', async () => {
  const { cluster, service, victim, survivor, id, schema, table } = await startVictim({
    settings: { max_records: MAX_RECORDS },
  });
  const { call } = service;
  const count = async (from: string, where = 'true'): Promise<number> =>
    (await cluster.sql(`SELECT count(*)::int AS n FROM ${from} WHERE ${where}`))[0].n;
  const add = async (instance: Instance, records = 1): Promise<number | undefined> => {
    const sent = { body: { records: Array.from({ length: records }, () => ({})) } };
    const answer = await call(instance, 'POST', `/v1/collections/${id}/data`, sent).catch(() => undefined);
    return answer?.status;
  };

  let acknowledged = 0;
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (victim.alive()) if ((await add(victim)) === 200) acknowledged += 1;
  });
  await expect.poll(() => acknowledged, { timeout: 20_000, interval: 5 }).toBeGreaterThan(100);
  await victim.kill();
  await Promise.all(clients);
  const leases = `${schema}.quota_leases`;
  const held = await cluster.sql(
    `SELECT holder FROM ${leases} WHERE expires_at BETWEEN now() AND now() + interval '60 s'`,
  );
  expect(held).toHaveLength(1);
  expect(await count(table)).toBeGreaterThanOrEqual(acknowledged);

  let endedAt = Infinity;
  const refusals: number[] = [];
  for (let rows = 0; rows < MAX_RECORDS; rows = await count(table)) {
    expect(performance.now() - endedAt, `${rows} records are there`).toBeLessThan(FULL_WITHIN_MS);
    const statuses = await Promise.all(Array.from({ length: CLIENTS }, () => add(survivor)));
    if (statuses.includes(422)) {
      refusals.push(rows);
      if (refusals.length === 1) {
        // The lease would last for a minute. The rest of it is skipped.
        await cluster.sql(`UPDATE ${leases} SET expires_at = now() WHERE holder = $1`, [held[0].holder]);
        endedAt = performance.now();
      }
      await pause(500);
    }
    expect(statuses.filter(status => status !== 200 && status !== 422)).toEqual([]);
  }
  // Before the lease expired, its capacity was reserved.
  expect(refusals.length).toBeGreaterThan(0);
  expect(await count(table)).toBe(MAX_RECORDS);
  await victim.restart();
  for (const instance of service.instances) expect(await add(instance)).toBe(422);
  expect(await count(table)).toBe(MAX_RECORDS);
  await service.end();
});
