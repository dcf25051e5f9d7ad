// @ts-check
// Measures how much of a bare server's speed is left with tenants, access rights, schemas and an audit log.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { buildIfNeeded } from '../scripts/run-service.mjs';
import { startBareServer, startService } from './contestants.mjs';
import { openDatabase } from './database.mjs';
import { LoadGenerator } from './load-generator.mjs';
import { compareAnswers, measure, roundTrips } from './measure.mjs';
import { readOptions, USAGE } from './options.mjs';
import { resultsPage, row } from './report.mjs';

const RESULTS = new URL('results.md', import.meta.url);
const say = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);

/** @type {(() => unknown)[]} cleanup functions, called at the end in reverse order */
const undo = [];
async function cleanUp() {
  for (const step of undo.splice(0).reverse()) await step();
}

/** @param {import('./options.mjs').Options} options */
async function run(options) {
  buildIfNeeded();
  const directory = await mkdtemp(join(tmpdir(), 'typed-collections-bench-'));
  undo.push(() => rm(directory, { recursive: true, force: true }));
  // When root starts the benchmark, the database runs under another account, which cannot enter a directory made
  // by mkdtemp.
  await chmod(directory, 0o755);
  const database = await openDatabase(directory);
  undo.push(database.stop);

  say(`Loading ${options.rows.toLocaleString('en-US')} orders into the service and the bare server …`);
  const service = await startService(database.url, directory, options);
  undo.push(service.stop);
  const bare = await startBareServer(database.url, database.client, options);
  undo.push(bare.stop);
  await database.client.query('VACUUM ANALYZE');
  const generator = new LoadGenerator();
  undo.push(() => generator.stop());

  const measurements = [];
  for (const workload of options.workloads) {
    await compareAnswers(workload, [service, bare]);
    const measurement = await measure(workload, [service, bare], generator, options);
    measurements.push(measurement);
    const [title, ours, theirs, ratio, goal, verdict] = row(measurement);
    say(`${title}: ${ours} req/s, bare ${theirs}, ratio ${ratio} (goal ${goal}: ${verdict})`);
  }
  const pointRead = options.workloads.find(({ name }) => name === 'point-read');
  const trips = pointRead && (await roundTrips(pointRead, service, generator, database.client));
  const page = resultsPage({ measurements, trips, postgres: database.version, options });
  say(`\n${page}`);
  if (options.isComplete) await writeFile(RESULTS, page);
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(130)));
}
try {
  await run(readOptions(process.argv.slice(2)));
} catch (error) {
  const { message, code, cause } = /** @type {NodeJS.ErrnoException} */ (error);
  process.stderr.write(
    `${message}${cause ? ` (${cause})` : ''}\n${code?.startsWith('ERR_PARSE_ARGS') ? USAGE : ''}`,
  );
  process.exitCode = 1;
} finally {
  await cleanUp();
}
