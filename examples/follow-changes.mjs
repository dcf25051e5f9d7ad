// Follows a collection until Ctrl-C: node examples/follow-changes.mjs <collection> <file for the position>
// After a restart it goes on where it stopped. A change whose position was not kept is handled again, so handling it
// twice must do no harm.
import { readFile, rename, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { createClient, PositionExpiredError } from '@typed-collections/client';

const [name, file] = process.argv.slice(2);
if (file === undefined) {
  console.error('Usage: node examples/follow-changes.mjs <collection> <file for the position>');
  process.exit(2);
}
const stop = new AbortController();
process.once('SIGINT', () => stop.abort()).once('SIGTERM', () => stop.abort());

const client = createClient({
  url: process.env.TC_URL,
  key: process.env.TC_KEY,
  onRetry: ({ error, delayMs }) => console.error(`${error.message}; again in ${Math.round(delayMs)} ms`),
});
const collection = client.collection(name);

/** What this worker is for. Here it prints. */
async function handle(type, record) {
  console.log(type, JSON.stringify(record));
}

/** Writes a second file first, so that a crash leaves the old position or the new one. */
async function keep(position) {
  await writeFile(`${file}.new`, position);
  await rename(`${file}.new`, file);
}

/** Handles all records. The position is taken first, so that no change falls between. */
async function readAll() {
  const position = await collection.position();
  for await (const record of collection.find()) await handle('present', record);
  await keep(position);
  return position;
}

async function follow(since) {
  for await (const { type, record, id } of collection.changes({ since, signal: stop.signal })) {
    await handle(type, record);
    await keep(id);
  }
}

while (!stop.signal.aborted) {
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  try {
    await follow(kept ?? (await readAll()));
  } catch (error) {
    // The worker was away for longer than changes are kept.
    if (!(error instanceof PositionExpiredError)) throw error;
    await follow(await readAll());
  }
}
