// Imports a CSV file. Rows that do not fit are left out and printed. Exit code: 0 all rows were imported, 1 the file was
// refused, 2 wrong use, 3 some rows were left out.
import { openAsBlob } from 'node:fs';
import { access } from 'node:fs/promises';
import process from 'node:process';
import { createClient } from '@typed-collections/client';
import { connection, run } from '../run.mjs';

await run(['collection', 'file.csv', '[upsert-key]'], async (collection, path, upsertKey) => {
  const records = createClient(connection()).collection(collection);
  await access(path);
  // A Blob is read piece by piece and never as a whole. It can be sent again if the connection breaks.
  const file = await openAsBlob(path, { type: 'text/csv' });

  const { rows, inserted, updated, skipped, errors } = await records.import(file, {
    // With the name of a unique column, the import can be repeated: rows that are there already update their records.
    upsertKey,
    onError: 'skip',
    onProgress: showProgress,
  });

  // The first 100 of them. Without onError, one such row would refuse the whole file.
  for (const { row, column, problem } of errors) {
    console.log(`row ${row}${column === null ? '' : `, column ${column}`}: ${problem}`);
  }
  console.error(`${rows} rows: ${inserted} inserted, ${updated} updated, ${skipped} left out`);
  if (skipped > 0) process.exitCode = 3;
});

/**
 * Progress goes to stderr, so that stdout has the refused rows only.
 *
 * @param {import('@typed-collections/client').ImportProgress} progress
 */
function showProgress({ phase, rows, bytes, totalBytes }) {
  const percent = totalBytes ? Math.floor((100 * bytes) / totalBytes) : 100;
  // A terminal shows only the newest line.
  const end = process.stderr.isTTY && phase !== 'done' ? '\r' : '\n';
  process.stderr.write(`${phase}: ${percent} % sent, ${rows} rows${end}`);
}
