// @ts-check
// Measures how much of a bare server's speed is left with tenants, access rights, schemas and an audit log, and how
// fast some requests are in comparison with others.
import { startBareServer, startService } from '../contestants.mjs';
import { openDatabase } from '../database.mjs';
import { LoadGenerator } from '../load/load-generator.mjs';
import { writeSection } from '../results.mjs';
import { WORKLOADS } from './list.mjs';
import { compareAnswers, measure, roundTrips } from './measure.mjs';
import { readOptions, USAGE } from './options.mjs';
import { section, summary } from './report.mjs';

export { USAGE };

/** @param {import('../bench.mjs').Bench} bench */
export async function run({ args, directory, say, undo }) {
  const options = readOptions(args);
  const database = await openDatabase(directory);
  undo(database.stop);

  say(`Loading ${options.rows.toLocaleString('en-US')} orders into the service and the bare server …`);
  const service = await startService(database.url, directory, options);
  undo(service.stop);
  const bare = await startBareServer(database.url, database.client, options);
  undo(bare.stop);
  await database.client.query('VACUUM ANALYZE');
  const generator = new LoadGenerator();
  undo(() => generator.stop());

  const measurements = [];
  for (const workload of options.workloads) {
    await compareAnswers(workload, { service, bare });
    const measurement = await measure(workload, { service, bare }, generator, options);
    measurements.push(measurement);
    say(summary(measurement));
  }
  const pointRead = options.workloads.find(({ name }) => name === 'point-read');
  const trips = pointRead && (await roundTrips(pointRead, service, generator, database.client));
  const text = section({ measurements, trips, postgres: database.version, options });
  say(`\n${text}`);
  if (options.workloads.length === WORKLOADS.length) await writeSection('Requests', text);
}
