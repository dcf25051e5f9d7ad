// @ts-check
// The main use of the product on real data: this project's own dependency tree as typed records behind the public
// API.
import { deepStrictEqual } from 'node:assert';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { buildIfNeeded, runService } from '../scripts/run-service.mjs';
import { Client } from './client.mjs';
import { load, openCollection } from './collection.mjs';
import { QUESTIONS } from './questions.mjs';
import { tryReadKey } from './read-key.mjs';
import { readPackages } from './read-packages.mjs';
import { Report } from './report.mjs';
import { takeBack } from './take-back.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * The service of PLATFORM_URL and BOOTSTRAP_FILE, else a temporary one that is removed with its data at the end.
 * @param {Report} report
 */
async function findService(report) {
  const { PLATFORM_URL, BOOTSTRAP_FILE } = process.env;
  if (PLATFORM_URL && BOOTSTRAP_FILE) {
    const { accessToken } = JSON.parse(await readFile(BOOTSTRAP_FILE, 'utf8'));
    return { url: PLATFORM_URL.replace(/\/+$/, ''), accessToken, stop: async () => {} };
  }
  report.say('Starting a temporary service with a new data directory …');
  buildIfNeeded();
  const directory = await mkdtemp(join(tmpdir(), 'typed-collections-demo-'));
  const discard = () => rm(directory, { recursive: true, force: true });
  try {
    // When root starts the demo, the database runs under another account, which cannot enter a directory made by
    // mkdtemp.
    await chmod(directory, 0o755);
    const { url, bootstrap, stop } = await runService(directory, { DATA_DIR: directory, LOG_LEVEL: 'warn' });
    return { url, accessToken: bootstrap.accessToken, stop: () => stop().then(discard) };
  } catch (error) {
    await discard();
    throw error;
  }
}

/**
 * @param {Client} client
 * @param {Report} report
 */
async function run(client, report) {
  report.heading('Reading package-lock.json and node_modules');
  const { records, skipped } = await readPackages(ROOT);
  report.say(
    `  ${records.length} packages; ${skipped.length} optional packages are not installed here and are skipped`,
  );

  report.heading('Writing the packages into the collection "packages"');
  const collection = await openCollection(client, records.length);
  report.say(`  ${collection.isNew ? 'created' : 'reused from an earlier run'}: ${collection.path}`);
  const { calls, removed } = await load(
    client,
    collection.path,
    records,
    report.progress('  ', records.length),
  );
  report.say(
    `  POST ${collection.path}/data/bulk, ${calls} times, upsert_key "path"; ${removed} outdated records deleted`,
  );
  const { count } = await client.call({ method: 'GET', path: `${collection.path}/data/count` });
  report.check(count === records.length, `${count} records, one per package`);

  for (const question of QUESTIONS) await answer(question, client, collection.path, records, report);

  report.heading('A key that may only read this collection');
  await tryReadKey(client, collection, records.length, report);

  report.heading('An agent changes too much, and the owner takes it back');
  const question = /** @type {import('./questions.mjs').Question} */ (QUESTIONS[0]);
  const agrees = async () =>
    isEqual(question.answer(await client.call(question.call(collection.path))), question.compute(records));
  await takeBack(client, collection, agrees, report);
}

/**
 * @param {import('./questions.mjs').Question} question
 * @param {Client} client
 * @param {string} path
 * @param {import('./read-packages.mjs').PackageRecord[]} records
 * @param {Report} report
 */
async function answer(question, client, path, records, report) {
  report.heading(question.title);
  const call = question.call(path);
  report.request(call);
  const rows = question.answer(await client.call(call));
  report.table(rows);
  const expected = question.compute(records);
  const agrees = isEqual(rows, expected);
  report.check(agrees, agrees ? 'agrees with the files' : 'differs from the files, which give:');
  if (!agrees) report.table(expected);
}

/**
 * @param {unknown} a
 * @param {unknown} b
 */
function isEqual(a, b) {
  try {
    deepStrictEqual(a, b);
    return true;
  } catch {
    return false;
  }
}

const report = new Report();
const starting = findService(report);
/** @type {Promise<void> | undefined} */
let stopping;
const stop = () => (stopping ??= starting.then(service => service.stop()));
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.once(signal, () => void stop().finally(() => process.exit(130)));
}
try {
  const { url, accessToken } = await starting;
  await run(new Client(url, { authorization: `Bearer ${accessToken}` }), report);
  report.say(report.failures === 0 ? '\nAll checks passed.' : `\n${report.failures} checks failed.`);
} catch (error) {
  // After Ctrl-C the service has stopped: errors of requests in progress are expected.
  if (stopping === undefined) report.check(false, /** @type {Error} */ (error).message);
} finally {
  await stop().catch(() => {});
}
process.exitCode = report.failures === 0 ? 0 : 1;
