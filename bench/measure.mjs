// @ts-check
import { deepStrictEqual } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { asker, cpuMilliseconds } from './contestants.mjs';
import { requestBytes } from './load-generator.mjs';

const WARM_UP_SECONDS = 2;
/** An idle PostgreSQL backend publishes its counters after 10 s at the latest (pgstat.c, PGSTAT_IDLE_INTERVAL). */
const COUNTERS_SETTLE_MS = 11_000;
const COUNTED_REQUESTS = 5_000;

/**
 * @typedef {import('./contestants.mjs').Contestant} Contestant
 * @typedef {import('./workloads.mjs').Workload} Workload
 * @typedef {{ perSecond: number, cpuMicros: number, p50: number, p99: number, generatorMicros: number }} Sample
 * @typedef {{ workload: Workload, service: Sample[], bare: Sample[] }} Measurement
 */

/**
 * Checks that both servers give the same answers before their speeds are compared.
 * @param {Workload} workload
 * @param {Contestant[]} contestants
 */
export async function compareAnswers(workload, contestants) {
  const { digest } = workload;
  if (digest === undefined) return;
  const [ours, theirs] = await Promise.all(
    contestants.map(async ({ name, port, headers, target }) => {
      const ask = asker(`http://127.0.0.1:${port}`, headers);
      const first = workload[name](target).slice(0, 3);
      return Promise.all(first.map(async ({ method, path, body }) => digest(await ask(method, path, body))));
    }),
  );
  deepStrictEqual(ours, theirs, `${workload.name}: the two servers answer differently`);
}

/**
 * Alternates bursts between the servers, so that other load on the machine affects both alike.
 * @param {Workload} workload
 * @param {Contestant[]} contestants
 * @param {import('./load-generator.mjs').LoadGenerator} generator
 * @param {import('./options.mjs').Options} options
 * @returns {Promise<Measurement>}
 */
export async function measure(workload, contestants, generator, { rounds, seconds, connections }) {
  /** @type {Measurement} */
  const measurement = { workload, service: [], bare: [] };
  const prepared = contestants.map(contestant => ({ contestant, requests: prepare(workload, contestant) }));
  for (const { contestant, requests } of prepared) {
    await generator.run({ port: contestant.port, connections, seconds: WARM_UP_SECONDS, requests });
  }
  for (let round = 0; round < rounds; round++) {
    for (const { contestant, requests } of prepared) {
      const burst = { port: contestant.port, connections, seconds, requests };
      measurement[contestant.name].push(await sample(contestant, generator, burst));
    }
  }
  return measurement;
}

/**
 * @param {Contestant} contestant
 * @param {import('./load-generator.mjs').LoadGenerator} generator
 * @param {import('./load-process.mjs').Burst} burst
 * @returns {Promise<Sample>}
 */
async function sample({ pid }, generator, burst) {
  const before = await cpuMilliseconds(pid);
  const result = await generator.run(burst);
  const cpu = (await cpuMilliseconds(pid)) - before;
  return {
    perSecond: result.requests / result.seconds,
    cpuMicros: (cpu * 1000) / result.requests,
    p50: result.p50,
    p99: result.p99,
    generatorMicros: (result.cpuMs * 1000) / result.requests,
  };
}

/**
 * Database transactions per request on a warm server, counted by PostgreSQL: a round trip outside a transaction
 * block is one transaction.
 * @param {Workload} workload
 * @param {Contestant} contestant
 * @param {import('./load-generator.mjs').LoadGenerator} generator
 * @param {import('pg').Client} database
 */
export async function roundTrips(workload, contestant, generator, database) {
  const requests = prepare(workload, contestant);
  const burst = { port: contestant.port, connections: 8, seconds: 60, requests };
  await generator.run({ ...burst, count: COUNTED_REQUESTS });
  const before = await committed(database);
  const result = await generator.run({ ...burst, count: COUNTED_REQUESTS });
  return ((await committed(database)) - before) / result.requests;
}

/** @param {import('pg').Client} database */
async function committed(database) {
  await sleep(COUNTERS_SETTLE_MS);
  const found = await database.query(
    'SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(found.rows[0].count);
}

/**
 * @param {Workload} workload
 * @param {Contestant} contestant
 */
function prepare(workload, { name, target, headers }) {
  return workload[name](target).map(request => requestBytes(request, headers));
}
