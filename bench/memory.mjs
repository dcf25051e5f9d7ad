// @ts-check
// Measures the memory of the service's process, idle and under mixed load.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { runService } from '../scripts/run-service.mjs';
import { startService } from './contestants.mjs';
import { openDatabase } from './database.mjs';
import { LoadGenerator, requestBytes } from './load/load-generator.mjs';
import { digits, machineLine, median, table, verdict, writeSection } from './results.mjs';
import { WORKLOADS } from './workloads/list.mjs';

export const USAGE = `npm run bench -- memory [options]
  --minutes <n>  length of the load (10)
  --rows <n>     orders loaded before the start (100000)
The results file is written by runs without options only.`;

const CONNECTIONS = 32;
const SAMPLE_MS = 2_000;
/** The collector returns what the start needed within this time. */
const IDLE_MS = 30_000;
/** The load: how many requests of each workload are among the requests that are sent in turn. */
const MIX = {
  'point-read': 100,
  'filtered-query': 50,
  'single-insert': 30,
  update: 30,
  'mcp-query': 10,
  aggregate: 1,
};
const IDLE_GOAL = 130;
const LOAD_GOAL = 250;
/** Memory is flat when the last quarter of the time needs at most so many times what the second one needed. */
const FLAT = 1.1;

/** @param {import('./bench.mjs').Bench} bench */
export async function run({ args, directory, say, undo }) {
  const { values } = parseArgs({
    args,
    options: { minutes: { type: 'string', default: '10' }, rows: { type: 'string', default: '100000' } },
  });
  const [minutes, rows] = [Number(values.minutes), Number(values.rows)];
  const database = await openDatabase(directory);
  undo(database.stop);

  const unused = await runService(directory, { DATABASE_URL: database.url, DATA_DIR: directory });
  await sleep(IDLE_MS);
  const idle = await residentMegabytes(unused.pid);
  await unused.stop();
  say(`idle: ${digits(idle)} MB`);

  const service = await startService(database.url, directory, { rows, credential: 'token' });
  undo(service.stop);
  const generator = new LoadGenerator();
  undo(() => generator.stop());
  const burst = {
    port: service.port,
    connections: CONNECTIONS,
    seconds: minutes * 60,
    requests: mixed(service),
  };
  /** @type {number[]} */
  const samples = [];
  const watch = setInterval(
    () => void residentMegabytes(service.pid).then(megabytes => samples.push(megabytes)),
    SAMPLE_MS,
  );
  const { requests, seconds } = await generator.run(burst).finally(() => clearInterval(watch));

  const [, second = 0, , last = 0] = [0, 1, 2, 3].map(quarter =>
    median(samples.slice((samples.length * quarter) / 4, (samples.length * (quarter + 1)) / 4)),
  );
  const greatest = Math.max(...samples);
  const text = [
    `Resident memory of the service's process. Idle: ${IDLE_MS / 1000} s after a start without requests. Load: ${digits(minutes)} minutes of mixed`,
    `requests on ${CONNECTIONS} connections, ${digits(requests / seconds)} requests/s, after loading ${digits(rows)} orders.`,
    '',
    table([
      ['Memory', 'MB', 'goal', ''],
      ['Idle', digits(idle), `≤ ${IDLE_GOAL}`, verdict(idle <= IDLE_GOAL)],
      ['Most under load', digits(greatest), `≤ ${LOAD_GOAL}`, verdict(greatest <= LOAD_GOAL)],
      ['Second quarter of the load, median', digits(second), '', ''],
      [
        'Last quarter of the load, median',
        digits(last),
        `≤ ${digits(second * FLAT)}`,
        verdict(last <= second * FLAT),
      ],
    ]),
    '',
    machineLine(database.version),
  ].join('\n');
  say(`\n${text}`);
  if (args.length === 0) await writeSection('Memory', text);
}

/**
 * The requests of the load, in an order that mixes the workloads evenly.
 * @param {import('./contestants.mjs').Contestant} service
 */
function mixed({ target, headers }) {
  const placed = Object.entries(MIX).flatMap(([name, count]) => {
    const requests = WORKLOADS.find(workload => workload.name === name)?.service(target) ?? [];
    return Array.from({ length: count }, (_, index) => ({
      place: (index + 0.5) / count,
      bytes: requestBytes(/** @type {any} */ (requests[index % requests.length]), headers),
    }));
  });
  return placed.sort((a, b) => a.place - b.place).map(({ bytes }) => bytes);
}

/** @param {number} pid */
async function residentMegabytes(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}
