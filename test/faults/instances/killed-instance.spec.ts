import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startCluster } from '../support/cluster.js';
import type { Instance } from '../support/instance.js';
import { startService } from '../support/service.js';
import { underLoad } from '../support/trial.js';

const MAX_RECORDS = 2_000;
const CLIENTS = 4;
/** How long the lease of a killed instance lasts, of which the test skips a part. */
const LEASE_MS = 60_000;
const SKIPPED_MS = 50_000;
/** The rest of the lease, and time for the count and to fill the collection on a slow machine. */
const CAPACITY_BACK_WITHIN_MS = LEASE_MS - SKIPPED_MS + 45_000;

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
  const cluster = await startCluster();
  const service = await startService(cluster);
  const { call } = service;
  const [victim, survivor] = service.instances;
  const body = { name: 'limited', settings: { max_records: MAX_RECORDS } };
  const id: string = (await call(victim, 'POST', '/v1/collections', { body })).body.collection_id;
  const [{ schema, table }] = await cluster.sql(
    `SELECT schemaname AS schema, schemaname || '.' || tablename AS table FROM pg_tables WHERE tablename = $1`,
    [`c_${id.replaceAll('-', '')}`],
  );
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
  const killedAt = performance.now();
  await Promise.all(clients);
  const leases = `${schema}.quota_leases`;
  expect(await count(leases, `expires_at BETWEEN now() AND now() + interval '${LEASE_MS} ms'`)).toBe(1);
  await cluster.sql(`UPDATE ${leases} SET expires_at = expires_at - interval '${SKIPPED_MS} ms'`);
  expect(await count(table)).toBeGreaterThanOrEqual(acknowledged);

  const refusals: number[] = [];
  for (let rows = 0; rows < MAX_RECORDS; rows = await count(table)) {
    expect(performance.now() - killedAt, `${rows} records are there`).toBeLessThan(CAPACITY_BACK_WITHIN_MS);
    const statuses = await Promise.all(Array.from({ length: CLIENTS }, () => add(survivor)));
    if (statuses.includes(422)) {
      refusals.push(rows);
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
