// @ts-check
// Measures imports and exports of files against COPY through psql, into and out of the same table with its indexes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { runService } from '../scripts/run-service.mjs';
import { asker, cpuMilliseconds } from './contestants.mjs';
import { openDatabase } from './database.mjs';
import { makeOrders, ORDER_COLUMNS, ORDER_INDEX } from './orders.mjs';
import { digits, machineLine, median, table, verdict, writeSection } from './results.mjs';

export const USAGE = `npm run bench -- transfer [options]
  --rows <n>    rows of the file (1000000)
  --rounds <n>  imports and exports of each kind (3)
The results file is written by runs without options only.`;

const GOALS = { import: 0.4, export: 0.5 };
const BATCH = 10_000;
const COLUMNS = Object.keys(ORDER_COLUMNS);

/** @param {import('./bench.mjs').Bench} bench */
export async function run({ args, directory, say, undo }) {
  const { values } = parseArgs({
    args,
    options: { rows: { type: 'string', default: '1000000' }, rounds: { type: 'string', default: '3' } },
  });
  const [rows, rounds] = [Number(values.rows), Number(values.rounds)];
  const file = join(directory, 'orders.csv');
  await pipeline(Readable.from(csvOf(rows)), createWriteStream(file));
  const database = await openDatabase(directory);
  undo(database.stop);
  const service = await runService(directory, {
    DATABASE_URL: database.url,
    DATA_DIR: directory,
    RATE_LIMITS: 'off',
  });
  undo(service.stop);
  const headers = { authorization: `Bearer ${service.bootstrap.accessToken}` };
  const ask = asker(service.url, headers);

  /** @type {Record<'import' | 'export', { ours: number[], theirs: number[], cpu: number[] }>} */
  const seconds = { import: { ours: [], theirs: [], cpu: [] }, export: { ours: [], theirs: [], cpu: [] } };
  for (let round = 1; round <= rounds; round++) {
    const collection = await ask('POST', '/v1/collections', {
      name: `orders_${round}`,
      settings: { max_records: 10_000_000 },
      properties: ORDER_COLUMNS,
      indexes: [{ properties: ORDER_INDEX }],
    });
    const path = `${service.url}/v1/collections/${collection.collection_id}`;
    const copy = await emptyCopy(database.client, collection.collection_id, round);
    const cpuBefore = await cpuMilliseconds(service.pid);
    seconds.import.ours.push(await timed(() => importFile(path, headers, file, rows)));
    const cpuImported = await cpuMilliseconds(service.pid);
    seconds.import.theirs.push(
      await timed(() =>
        psql(database.url, `\\copy ${copy.table} (${copy.columns}) FROM '${file}' CSV HEADER`),
      ),
    );
    await database.client.query('VACUUM ANALYZE');
    const cpuBetween = await cpuMilliseconds(service.pid);
    seconds.export.ours.push(await timed(() => exportFile(path, headers, join(directory, 'ours.csv'))));
    seconds.import.cpu.push((cpuImported - cpuBefore) / 1000);
    seconds.export.cpu.push(((await cpuMilliseconds(service.pid)) - cpuBetween) / 1000);
    const theirs = join(directory, 'theirs.csv');
    seconds.export.theirs.push(
      await timed(() =>
        psql(
          database.url,
          `\\copy ${copy.table} (_id, created_at, updated_at, ${copy.columns}) TO '${theirs}' CSV HEADER`,
        ),
      ),
    );
    await database.client.query(`DROP TABLE ${copy.table}`);
    await ask('DELETE', `/v1/collections/${collection.collection_id}`);
    say(`round ${round} of ${rounds} is done`);
  }
  const text = [
    `A CSV file of ${digits(rows)} orders, in seconds, medians of ${rounds} interleaved rounds. The ratio is that of the speeds. Neither side compresses.`,
    '',
    table([
      ['Transfer', 'service', 'psql COPY', 'ratio', 'rounds', 'goal', '', "service's CPU"],
      line('import', 'Import into a table with its indexes', seconds.import),
      line('export', 'Export', seconds.export),
    ]),
    '',
    machineLine(database.version),
  ].join('\n');
  say(`\n${text}`);
  if (args.length === 0) await writeSection('Import and export', text);
}

/**
 * @param {'import' | 'export'} kind
 * @param {string} title
 * @param {{ ours: number[], theirs: number[], cpu: number[] }} seconds
 */
function line(kind, title, { ours, theirs, cpu }) {
  const ratios = ours.map((each, round) => Number(theirs[round]) / each);
  return [
    title,
    digits(median(ours)),
    digits(median(theirs)),
    median(ratios).toFixed(2),
    `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
    `≥ ${GOALS[kind].toFixed(2)}`,
    verdict(median(ratios) >= GOALS[kind]),
    digits(median(cpu)),
  ];
}

/** @param {() => Promise<unknown>} work */
async function timed(work) {
  const before = performance.now();
  await work();
  return (performance.now() - before) / 1000;
}

/** @param {number} rows */
function* csvOf(rows) {
  yield `${COLUMNS.join(',')}\n`;
  for (let from = 0; from < rows; from += BATCH) {
    const orders = makeOrders(Math.min(BATCH, rows - from), from + 1);
    yield orders
      .map((order, index) =>
        COLUMNS.map(column =>
          column === 'order_number' ? `SO-${from + index}` : cell(/** @type {any} */ (order)[column]),
        ).join(','),
      )
      .map(each => `${each}\n`)
      .join('');
  }
}

/** @param {unknown} value */
function cell(value) {
  if (value === null) return '';
  return typeof value === 'object' ? `"${JSON.stringify(value).replaceAll('"', '""')}"` : String(value);
}

/**
 * Makes an empty copy of a collection's table, with its indexes.
 * @param {import('pg').Client} database
 * @param {string} collectionId
 * @param {number} round
 */
async function emptyCopy(database, collectionId, round) {
  const { rows } = await database.query('SELECT org_id, columns FROM collections WHERE id = $1', [
    collectionId,
  ]);
  const [{ org_id: orgId, columns }] = rows;
  const name = (/** @type {string} */ id) => id.replaceAll('-', '');
  const table = `public.copy_${round}`;
  await database.query(
    `CREATE TABLE ${table} (LIKE org_${name(orgId)}.c_${name(collectionId)} INCLUDING ALL);
     ALTER TABLE ${table} ALTER _id SET DEFAULT gen_random_uuid(), ALTER created_at SET DEFAULT now(),
       ALTER updated_at SET DEFAULT now(), ALTER x SET DEFAULT '{}'`,
  );
  return { table, columns: COLUMNS.map(column => `c${columns[column].number}`).join(', ') };
}

/**
 * @param {string} path
 * @param {Record<string, string>} headers
 * @param {string} file
 * @param {number} rows
 */
async function importFile(path, headers, file, rows) {
  const response = await fetch(`${path}/import`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'text/csv' },
    body: /** @type {any} */ (createReadStream(file)),
    duplex: 'half',
  });
  const answer = await response.text();
  const last = JSON.parse(answer.trim().split('\n').at(-1) ?? '');
  if (last.done !== true || last.inserted !== rows)
    throw new Error(`the import answered ${answer.slice(-300)}`);
}

/**
 * Exports without compression, as psql does. By default fetch asks for gzip.
 * @param {string} path
 * @param {Record<string, string>} headers
 * @param {string} file
 */
async function exportFile(path, headers, file) {
  const response = await fetch(`${path}/export?format=csv`, {
    headers: { ...headers, 'accept-encoding': 'identity' },
  });
  if (!response.ok) throw new Error(`the export answered ${response.status}`);
  await response.body?.pipeTo(Writable.toWeb(createWriteStream(file)));
}

/**
 * @param {string} url
 * @param {string} command
 */
async function psql(url, command) {
  const child = spawn('psql', ['-qX', '-v', 'ON_ERROR_STOP=1', url, '-c', command], { stdio: 'inherit' });
  const [status] = await once(child, 'exit');
  if (status !== 0) throw new Error(`psql exited with status ${status}`);
}
