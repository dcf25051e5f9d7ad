// Appends every change of a collection to a file, each exactly once, even if this program is killed and started again.
import { open, readFile, rename } from 'node:fs/promises';
import process from 'node:process';
import { createClient } from '@typed-collections/client';
import { connection, run } from '../run.mjs';

/**
 * What is done: all changes up to `position` are in the first `bytes` bytes of the log.
 *
 * @typedef {{ position: string, bytes: number }} State
 */

await run(['collection', 'log.ndjson', 'state.json'], async (collection, logPath, statePath) => {
  /** @type {import('@typed-collections/client').ClientOptions['onRetry']} */
  const onRetry = ({ error, delayMs }) => console.error(`${error.message}; again in ${delayMs} ms`);
  const records = createClient({ ...connection(), onRetry }).collection(collection);
  const state = await readState(statePath);
  let { position, bytes } = state ?? { position: await records.position(), bytes: 0 };
  // A crash before the first change must not lose the position.
  if (state === undefined) await writeState(statePath, { position, bytes });

  const log = await open(logPath, 'a');
  // Lines after the position were written just before a crash. Their changes come again.
  await log.truncate(bytes);

  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());

  // The client reconnects by itself. It throws a PositionExpiredError if this program was away for too long (three days,
  // unless the service is set otherwise): then delete both files, read the whole collection, and follow again.
  for await (const change of records.changes({ since: position, signal: stop.signal })) {
    const line = Buffer.from(`${JSON.stringify(change)}\n`);
    await log.writeFile(line);
    // The line must be on disk before the position says so.
    await log.datasync();
    position = change.id;
    bytes += line.length;
    await writeState(statePath, { position, bytes });
  }
  await log.close();
});

/**
 * @param {string} path
 * @returns {Promise<State | undefined>} undefined at the first start
 */
async function readState(path) {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Replaces the file in one step: a reader finds the old state or the new one, never a part of it.
 *
 * @param {string} path
 * @param {State} state
 */
async function writeState(path, state) {
  const file = await open(`${path}.new`, 'w');
  await file.writeFile(JSON.stringify(state));
  await file.sync();
  await file.close();
  await rename(`${path}.new`, path);
}
