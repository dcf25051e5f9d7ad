// @ts-check
// Measures the service. Each part of the benchmark writes its own section of results.md.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { buildIfNeeded } from '../scripts/run-service.mjs';

/**
 * The arguments of each benchmark. `undo` registers a cleanup function. The cleanup functions run at the end, the last one first.
 * @typedef {{ args: string[], directory: string, say: (text: string) => void, undo: (step: () => unknown) => void }} Bench
 */

/** @type {Record<string, () => Promise<{ USAGE: string, run: (bench: Bench) => Promise<void> }>>} */
const PARTS = {
  workloads: () => import('./workloads/run.mjs'),
  memory: () => import('./memory.mjs'),
  start: () => import('./start.mjs'),
  transfer: () => import('./transfer.mjs'),
  indexes: () => import('./indexes.mjs'),
  'schema-change': () => import('./schema-change.mjs'),
  growth: () => import('./growth/run.mjs'),
};

/** @type {(() => unknown)[]} */
const steps = [];
async function cleanUp() {
  for (const step of steps.splice(0).reverse()) await step();
}

/** @returns {Promise<string>} */
async function scratchDirectory() {
  const directory = await mkdtemp(join(tmpdir(), 'typed-collections-bench-'));
  steps.push(() => rm(directory, { recursive: true, force: true }));
  // When root starts the benchmark, the database runs under another account, which cannot enter a directory made
  // by mkdtemp.
  await chmod(directory, 0o755);
  return directory;
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(130)));
}
const given = process.argv.slice(2);
const isNamed = given[0] !== undefined && !given[0].startsWith('-');
const [name, args] = isNamed ? [given[0], given.slice(1)] : ['workloads', given];
let usage = `npm run bench -- [${Object.keys(PARTS).join(' | ')}] [options]`;
try {
  const load = PARTS[/** @type {string} */ (name)];
  if (load === undefined) throw new Error(`unknown benchmark: ${name}\n${usage}`);
  const part = await load();
  usage = part.USAGE;
  buildIfNeeded();
  const directory = await scratchDirectory();
  await part.run({
    args,
    directory,
    say: text => process.stdout.write(`${text}\n`),
    undo: step => steps.push(step),
  });
} catch (error) {
  const { message, code, cause } = /** @type {NodeJS.ErrnoException} */ (error);
  process.stderr.write(
    `${message}${cause ? ` (${cause})` : ''}\n${code?.startsWith('ERR_PARSE_ARGS') ? usage : ''}`,
  );
  process.exitCode = 1;
} finally {
  await cleanUp();
}
