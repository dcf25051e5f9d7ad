// @ts-check
// Measures how long the service takes until it is ready.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runService } from '../scripts/run-service.mjs';
import { openDatabase } from './database.mjs';
import { digits, machineLine, median, table, verdict, writeSection } from './results.mjs';

export const USAGE = `npm run bench -- start [options]
  --rounds <n>  starts of each kind (5)
The results file is written by runs without options only.`;

/** @param {import('./bench.mjs').Bench} bench */
export async function run({ args, directory, say, undo }) {
  const { values } = parseArgs({ args, options: { rounds: { type: 'string', default: '5' } } });
  const rounds = Number(values.rounds);
  const database = await openDatabase(directory);
  undo(database.stop);
  const withDatabase = { DATABASE_URL: database.url, DATA_DIR: directory };
  const embedded = { DATA_DIR: join(directory, 'embedded') };
  const kinds = [
    {
      title: 'Service, with a database that is up',
      goal: 1.5,
      start: () => runService(directory, withDatabase),
    },
    {
      title: 'Second `npm start`, which starts its own database too',
      goal: 2.5,
      start: () => runService(directory, embedded, ['npm', 'start']),
    },
  ];
  const lines = [];
  for (const { title, goal, start } of kinds) {
    // The first start migrates the database, or makes one.
    const seconds = [];
    for (let round = 0; round <= rounds; round++) {
      const service = await start();
      if (round > 0) seconds.push(service.readyMs / 1000);
      await service.stop();
    }
    const middle = median(seconds);
    const [least, greatest] = [Math.min(...seconds), Math.max(...seconds)];
    lines.push([
      title,
      middle.toFixed(2),
      `${least.toFixed(2)}–${greatest.toFixed(2)}`,
      `≤ ${goal.toFixed(1)}`,
      verdict(middle <= goal),
    ]);
    say(`${title}: ${middle.toFixed(2)} s`);
  }
  const text = [
    `Seconds from the start of the process until \`/health/ready\` answers 200, medians of ${digits(rounds)} starts.`,
    '',
    table([['Start', 'seconds', 'rounds', 'goal', ''], ...lines]),
    '',
    machineLine(database.version),
  ].join('\n');
  say(`\n${text}`);
  if (args.length === 0) await writeSection('Start', text);
}
