import { open } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { migrate, migrationNames } from '../database/migrate.js';
import { checkArchive } from './backup/archive.js';
import { restoreLogical } from './backup/logical-restore.js';
import { canUse, load, migrationsIn } from './backup/pg-tools.js';
import { restartFeeds } from './backup/restart-feeds.js';
import { withSession } from './backup/session.js';
import { assertReplaceable, clear } from './backup/target.js';
import { serverMajor } from './backup.command.js';
import { type Command, print, UsageError } from './command.js';
import { refuseCitus, withDatabase } from './database.js';

/** First bytes of what pg_dump writes. */
const PG_DUMP = 'PGDMP';

export const restoreCommand: Command = {
  name: 'restore',
  usage: '<file> [--force]',
  summary: 'fill an empty database from a backup, or with --force replace its data; stop all instances first',
  async run(args) {
    const options = { force: { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [file, ...rest] = positionals;
    if (file === undefined || rest.length > 0) throw new UsageError('expects one file');
    const restore = (await startsWith(file, PG_DUMP)) ? byPgRestore : logical;
    await withDatabase(({ DATABASE_URL, DATABASE_CITUS }) => {
      refuseCitus(DATABASE_CITUS);
      return restore(DATABASE_URL, file, values.force === true);
    });
    print('The service needs the same SECRETS_MASTER_KEYS as before; they were not in the backup.');
  },
};

async function logical(url: string, file: string, force: boolean): Promise<void> {
  const { header, end } = await checkArchive(file);
  assertKnown(header.migrations);
  await withSession(url, async session => {
    await assertReplaceable(session, force);
    await restoreLogical(url, session, file, header, (schema, tables, rows) =>
      print(`${schema}: ${tables} tables, ${rows} rows`),
    );
  });
  print(`restored ${end.tables} tables, ${end.rows} rows of ${header.createdAt}`);
  print(`It needs the master keys named ${header.masterKeys.join(', ')}.`);
}

async function byPgRestore(url: string, file: string, force: boolean): Promise<void> {
  if (!(await canUse('pg_restore', await serverMajor(url)))) {
    throw new Error(`${file} was written by pg_dump: pg_restore of the server's version is needed.`);
  }
  assertKnown(await migrationsIn(file));
  await withSession(url, async session => {
    await assertReplaceable(session, force);
    await clear(session);
    await load(url, file);
    await restartFeeds(session);
    await session.query('ANALYZE');
  });
  await migrate(url);
  print(`restored ${file} with pg_restore`);
}

/** A backup of this version or an older one. */
function assertKnown(migrations: readonly string[]): void {
  const known = migrationNames();
  if (migrations.every((name, index) => name === known[index])) return;
  throw new Error(
    'The backup was made by a newer version of the service, or another one: restore it with that.',
  );
}

async function startsWith(file: string, text: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(text.length), 0, text.length, 0);
    return buffer.toString('latin1', 0, bytesRead) === text;
  } finally {
    await handle.close();
  }
}
