// Imports a CSV file: node examples/import-csv.mjs <collection> <file> [column that identifies a row]
// Rows that do not fit are left out and listed. With a column, rows that are there already are updated, so that the
// program can be run again. Ends with 3 if rows were left out.
import { openAsBlob } from 'node:fs';
import process from 'node:process';
import { createClient } from '@typed-collections/client';

const [name, path, upsertKey] = process.argv.slice(2);
if (path === undefined) {
  console.error('Usage: node examples/import-csv.mjs <collection> <file> [column]');
  process.exit(2);
}
const client = createClient({ url: process.env.TC_URL, key: process.env.TC_KEY });

const summary = await client.collection(name).import(await openAsBlob(path, { type: 'text/csv' }), {
  upsertKey,
  onError: 'skip',
  onProgress: ({ bytes, totalBytes, rows, phase }) => {
    const percent = Math.floor((100 * bytes) / Math.max(totalBytes, 1));
    process.stderr.write(`\r${phase}: ${percent} % of the file, ${rows} rows   `);
  },
});

process.stderr.write('\n');
for (const { row, column, problem } of summary.errors) {
  console.error(`row ${row}${column === null ? '' : `, ${column}`}: ${problem}`);
}
console.log(`${summary.inserted} inserted, ${summary.updated} updated, ${summary.skipped} left out`);
process.exitCode = summary.skipped > 0 ? 3 : 0;
