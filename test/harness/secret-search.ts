import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { finderOf } from './secrets-in-use.js';

const ROWS_AT_ONCE = 5_000;
/** PostgreSQL prepares the rows of some databases while this process looks at those of another one. */
const DATABASES_AT_ONCE = 4;

/** The secrets that a run used, and the places that it could have written them to. */
export interface Searched {
  /** Number of secrets that the search looked for. */
  readonly secrets: number;
  /** One line per place that contains a secret. The line does not repeat the secret. */
  readonly findings: string[];
}

/** Searches logs, error bodies and all databases for the secrets that a run used. */
export async function searchForSecrets(directory: string, databases: readonly string[]): Promise<Searched> {
  const origins = await notedIn(directory);
  const marksIn = finderOf(new Set(origins.keys()));
  const findings = new Set<string>();
  const look = (text: string, place: string) => {
    for (const mark of marksIn(text)) findings.add(`${place} holds a secret (${origins.get(mark)})`);
  };
  for (const file of await readdir(directory)) {
    if (file.startsWith('secrets-')) continue;
    const lines = createInterface(createReadStream(join(directory, file)));
    for await (const line of lines) look(line, file.replace(/-\d+$/, ''));
  }
  const left = [...databases];
  const searching = Array.from({ length: DATABASES_AT_ONCE }, async () => {
    for (let url = left.pop(); url !== undefined; url = left.pop()) await searchDatabase(url, look);
  });
  await Promise.all(searching);
  return { secrets: origins.size, findings: [...findings].sort() };
}

/** Where each mark was first found. */
async function notedIn(directory: string): Promise<Map<string, string>> {
  const origins = new Map<string, string>();
  for (const file of (await readdir(directory)).filter(name => name.startsWith('secrets-'))) {
    for (const line of (await readFile(join(directory, file), 'utf8')).split('\n').filter(Boolean)) {
      origins.set(line.slice(0, 32), line.slice(33));
    }
  }
  return origins;
}

/** Every row of every table as text, as in a logical dump. Most tables of a test are empty and have no file to read. */
export async function searchDatabase(
  url: string,
  look: (text: string, place: string) => void,
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Bytes are searched as text too: a secret in bytea would be invisible in hexadecimal.
    await client.query(`BEGIN READ ONLY; SET LOCAL bytea_output = 'escape'`);
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', n.nspname, c.relname) AS name
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND pg_relation_size(c.oid) > 0
       ORDER BY 1`,
    );
    for (const { name } of tables) {
      const place = name.replace(/[0-9a-f]{32}/g, '…');
      await client.query(`DECLARE kept CURSOR FOR SELECT t::text AS row FROM ${name} t`);
      let rows: { row: string }[];
      do {
        ({ rows } = await client.query(`FETCH ${ROWS_AT_ONCE} FROM kept`));
        for (const { row } of rows) look(row, place);
      } while (rows.length === ROWS_AT_ONCE);
      await client.query('CLOSE kept');
    }
  } finally {
    await client.end();
  }
}
