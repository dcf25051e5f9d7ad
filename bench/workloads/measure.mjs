// @ts-check
import { deepStrictEqual } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { asker, cpuMilliseconds } from '../contestants.mjs';
import { requestBytes } from '../load/load-generator.mjs';

const WARM_UP_SECONDS = 2;
/** An idle PostgreSQL backend publishes its counters after 10 s at the latest (pgstat.c, PGSTAT_IDLE_INTERVAL). */
const COUNTERS_SETTLE_MS = 11_000;
const COUNTED_REQUESTS = 5_000;

/**
 * @typedef {import('../contestants.mjs').Contestant} Contestant
 * @typedef {{ service: Contestant, bare: Contestant }} Contestants
 * @typedef {import('./list.mjs').Workload} Workload
 * @typedef {{ perSecond: number, cpuMicros: number, p50: number, p99: number, generatorMicros: number }} Sample
 * @typedef {{ workload: Workload, ours: Sample[], theirs: Sample[] }} Measurement samples of the workload, and of
 *   what it is compared with, in the same rounds
 */

/**
 * Checks that both servers give the same answers before their speeds are compared.
 * @param {Workload} workload
 * @param {Contestants} contestants
 */
export async function compareAnswers(workload, { service, bare }) {
  const { digest } = workload;
  if (digest === undefined) return;
  const [ours, theirs] = await Promise.all(
    [service, bare].map(async ({ name, port, headers, target }) => {
      const ask = asker(`http://127.0.0.1:${port}`, headers);
      const first = requestsOf(workload, name)(target).slice(0, 3);
      return Promise.all(first.map(async ({ method, path, body }) => digest(await ask(method, path, body))));
    }),
  );
  deepStrictEqual(ours, theirs, `${workload.name}: the two servers answer differently`);
}

/**
 * Alternates bursts of the workload with bursts of what it is compared with, so that other load on the machine affects
 * both alike.
 * @param {Workload} workload
 * @param {Contestants} contestants
 * @param {import('../load/load-generator.mjs').LoadGenerator} generator
 * @param {import('./options.mjs').Options} options
 * @returns {Promise<Measurement>}
 */
export async function measure(workload, { service, bare }, generator, { rounds, seconds, connections }) {
  /** @type {Measurement} */
  const measurement = { workload, ours: [], theirs: [] };
  const reference = workload.against ?? workload;
  const sides = [
    { contestant: service, samples: measurement.ours, ...prepared(workload, service) },
    workload.against === undefined
      ? { contestant: bare, samples: measurement.theirs, ...prepared(workload, bare) }
      : { contestant: service, samples: measurement.theirs, ...prepared(reference, service) },
  ];
  for (const { contestant, requests, status } of sides) {
    const burst = { port: contestant.port, connections, seconds: WARM_UP_SECONDS, requests, status };
    await generator.run(burst);
  }
  for (let round = 0; round < rounds; round++) {
    for (const { contestant, samples, requests, status } of sides) {
      const burst = { port: contestant.port, connections, seconds, requests, status };
      samples.push(await sample(contestant, generator, burst));
    }
  }
  return measurement;
}

/**
 * @param {Contestant} contestant
 * @param {import('../load/load-generator.mjs').LoadGenerator} generator
 * @param {import('../load/load-process.mjs').Burst} burst
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
 * @param {import('../load/load-generator.mjs').LoadGenerator} generator
 * @param {import('pg').Client} database
 */
export async function roundTrips(workload, contestant, generator, database) {
  const burst = { port: contestant.port, connections: 8, seconds: 60, ...prepared(workload, contestant) };
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
function prepared(workload, { name, target, headers }) {
  const requests = requestsOf(workload, name)(target).map(request => requestBytes(request, headers));
  return { requests, status: workload.status };
}

/**
 * @param {Workload} workload
 * @param {Contestant['name']} name
 */
function requestsOf(workload, name) {
  const requests = workload[name];
  if (requests === undefined) throw new Error(`${workload.name} is not compared with the bare server`);
  return requests;
}
