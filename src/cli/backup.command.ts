import { access } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { isMigrated } from '../database/migrate.js';
import { writeArchive } from './backup/archive.js';
import { backupLines } from './backup/logical-backup.js';
import { canUse, dump } from './backup/pg-tools.js';
import { withSession } from './backup/session.js';
import { type Command, print, UsageError } from './command.js';
import { refuseCitus, withDatabase } from './database.js';

export const backupCommand: Command = {
  name: 'backup',
  usage: '<file> [--logical]',
  summary:
    'write everything except the master keys to a file: with pg_dump if it is installed, otherwise as lines of JSON',
  async run(args) {
    const options = { logical: { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [file, ...rest] = positionals;
    if (file === undefined || rest.length > 0) throw new UsageError('expects one file');
    if (await exists(file)) throw new Error(`${file} exists already: a backup replaces no file.`);
    await withDatabase(async ({ DATABASE_URL: url, DATABASE_CITUS }) => {
      refuseCitus(DATABASE_CITUS);
      if (!(await isMigrated(url))) throw new Error('The database is not migrated: run npm run migrate.');
      const major = await serverMajor(url);
      if (values.logical !== true && (await canUse('pg_dump', major))) await byPgDump(url, file);
      else await logical(url, file);
    });
    print(
      'SECRETS_MASTER_KEYS is not in it: without those keys its secrets stay sealed. Keep them in another safe place.',
    );
  },
};

async function byPgDump(url: string, file: string): Promise<void> {
  await dump(url, file);
  print(`wrote ${file} with pg_dump`);
}

async function logical(url: string, file: string): Promise<void> {
  await withSession(url, async session => {
    const total = { tables: 0, rows: 0 };
    const lines = backupLines(session, (schema, tables, rows) => {
      total.tables += tables;
      total.rows += rows;
      print(`${schema}: ${tables} tables, ${rows} rows`);
    });
    const bytes = await writeArchive(file, lines);
    print(`wrote ${file}: ${total.tables} tables, ${total.rows} rows, ${bytes} bytes`);
  });
}

/** Major version of the server. */
export function serverMajor(url: string): Promise<number> {
  return withSession(url, async session => {
    const [{ major }] = await session.query(
      `SELECT current_setting('server_version_num')::int / 10000 AS major`,
    );
    return major;
  });
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
