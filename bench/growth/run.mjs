// @ts-check
// Measures how the speed of the service changes as something grows, and draws the plots of docs/performance.md.
import { writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { runService } from '../../scripts/run-service.mjs';
import { openDatabase } from '../database.mjs';
import { LoadGenerator } from '../load/load-generator.mjs';
import { positive } from '../options.mjs';
import { digits, machineLine, table, writeSection } from '../results.mjs';
import { DIMENSIONS } from './dimensions.mjs';
import { Laboratory, MAX_RECORDS } from './laboratory.mjs';
import { growthSvg } from './plot.mjs';

const IMAGES = new URL('../../docs/images/', import.meta.url);

export const USAGE = `npm run bench -- growth [options]
  --only <names>      comma-separated, of: ${DIMENSIONS.map(({ name }) => name).join(', ')}
  --most <n>          leaves out larger sizes (1000000; 10000000 takes a quarter of an hour more, and 10 GB)
  --seconds <n>       length of one burst (3)
  --connections <n>   kept open by the load generator, where they do not grow (32)
Each name writes its section of the results file and docs/images/growth-<name>.svg.`;

/** @param {string[]} args */
function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      most: { type: 'string', default: '1000000' },
      seconds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '32' },
    },
  });
  const names = values.only?.split(',') ?? DIMENSIONS.map(({ name }) => name);
  const unknown = names.filter(name => !DIMENSIONS.some(dimension => dimension.name === name));
  if (unknown.length > 0) throw new Error(`nothing is named ${unknown.join(', ')}`);
  return {
    dimensions: DIMENSIONS.filter(({ name }) => names.includes(name)),
    most: positive('most', values.most),
    seconds: positive('seconds', values.seconds),
    connections: positive('connections', values.connections),
  };
}

/** @param {import('../bench.mjs').Bench} bench */
export async function run({ args, directory, say, undo }) {
  const options = readOptions(args);
  const database = await openDatabase(directory);
  undo(database.stop);
  const settings = {
    DATABASE_URL: database.url,
    DATA_DIR: directory,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
    COLLECTION_MAX_RECORDS_LIMIT: String(MAX_RECORDS),
  };
  const service = await runService(directory, settings);
  undo(service.stop);
  const generator = new LoadGenerator();
  undo(() => generator.stop());
  const laboratory = new Laboratory(service, database.client, generator, options);
  for (const dimension of options.dimensions) {
    const { name, axis, sizes, measure } = dimension;
    const points = [];
    for await (const point of measure(
      laboratory,
      sizes.filter(size => size <= options.most),
    )) {
      points.push(point);
      say(`${digits(point.size)} ${axis}: ${JSON.stringify(point.rates)}`);
    }
    await writeFile(new URL(`growth-${name}.svg`, IMAGES), growthSvg(axis, points));
    await writeSection(`Growth: ${name}`, section(dimension, points, options, database.version));
  }
}

/**
 * @param {import('./dimensions.mjs').Dimension} dimension
 * @param {import('./plot.mjs').Point[]} points
 * @param {{ seconds: number, connections: number }} options
 * @param {string} postgres
 */
function section({ axis, note }, points, { seconds, connections }, postgres) {
  const kinds = Object.keys(points[0]?.rates ?? {});
  const heading = [axis, ...kinds.flatMap(kind => [`${kind}: req/s`, 'p50 ms', 'p99 ms'])];
  const lines = points.map(({ size, rates }) => [
    size.toLocaleString('en-US'),
    ...kinds.flatMap(kind => {
      const rate = rates[kind];
      return rate === undefined ? ['refused', '', ''] : [rate.perSecond, rate.p50, rate.p99].map(digits);
    }),
  ]);
  return `
${note} ${connections} connections where they do not grow, bursts of ${seconds} s, called with an API key.

${table([heading, ...lines])}

${machineLine(postgres)} Load average while measuring: ${loadavg()[0]?.toFixed(1)}.`;
}
