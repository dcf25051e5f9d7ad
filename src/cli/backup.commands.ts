import { access, open } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { PlacementSettings } from '../platform/database/citus/prepare.js';
import { isMigrated, migrate, migrationNames } from '../platform/database/migrate.js';
import { HIDDEN_MIGRATIONS } from '../platform/database/migrating/lowest-version.js';
import { DELETED_ORGS } from '../platform/database/org-schema.js';
import { checkArchive, writeArchive } from './backup/archive.js';
import { backupLines } from './backup/logical-backup.js';
import { restoreLogical } from './backup/logical-restore.js';
import { canUse, dump, load, migrationsIn } from './backup/pg-tools.js';
import { assertReplaceable, clear, restartFeeds, withSession } from './backup/target-database.js';
import { print, UsageError } from './command.js';
import { withDatabase } from './database.js';

export async function backUp(args: string[]): Promise<void> {
  const options = { logical: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0) throw new UsageError('expects one file');
  if (await exists(file))
    throw new Error(`${file} exists already. Choose another name: a backup does not replace files.`);
  await withDatabase(async settings => {
    assertOneServer(settings);
    const url = settings.DATABASE_URL;
    if (!(await isMigrated(url))) throw new Error('The database is not migrated: run npm run migrate.');
    const major = await serverMajor(url);
    if (values.logical !== true && (await canUse('pg_dump', major))) await backUpByPgDump(url, file);
    else await backUpAsLines(url, file);
  });
  print(
    'The backup does not contain SECRETS_MASTER_KEYS, which are needed to decrypt its secrets. Keep them in another safe place.',
  );
}

/** Throws when the data is on several servers, because PostgreSQL has no snapshot across servers. */
function assertOneServer({ DATABASE_CITUS }: PlacementSettings): void {
  if (DATABASE_CITUS === 'on')
    throw new Error(
      'With DATABASE_CITUS=on the data is on several servers: back up and restore all of them together (docs/scaling.md).',
    );
}

const MOST_DUMPS = 3;

async function backUpByPgDump(url: string, file: string): Promise<void> {
  for (let attempt = 1, isDone = false; !isDone; attempt++) {
    const deleted: { schema: string }[] = await withSession(url, session => session.query(DELETED_ORGS));
    const schemas = deleted.map(({ schema }) => schema);
    // pg_dump lists all tables before it locks them, so it fails when an organization is deleted at that moment.
    const failed = await dump(url, file, schemas).catch((error: Error) => error);
    isDone = failed === undefined;
    if (failed && (attempt === MOST_DUMPS || !failed.message.includes('does not exist'))) throw failed;
  }
  print(`wrote ${file} with pg_dump`);
}

async function backUpAsLines(url: string, file: string): Promise<void> {
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

/** The first bytes of a file of pg_dump. */
const PG_DUMP = 'PGDMP';

export async function restoreBackup(args: string[]): Promise<void> {
  const options = { force: { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0) throw new UsageError('expects one file');
  const restore = (await startsWith(file, PG_DUMP)) ? byPgRestore : restoreLines;
  await withDatabase(settings => {
    assertOneServer(settings);
    return restore(settings.DATABASE_URL, file, values.force === true);
  });
  print('The service needs the same SECRETS_MASTER_KEYS as before; the backup does not contain them.');
}

async function restoreLines(url: string, file: string, force: boolean): Promise<void> {
  const { header, end } = await checkArchive(file);
  assertKnown(header.migrations);
  await withSession(url, async session => {
    await assertReplaceable(session, force);
    await restoreLogical(url, session, file, header, (schema, tables, rows) =>
      print(`${schema}: ${tables} tables, ${rows} rows`),
    );
  });
  print(`restored ${end.tables} tables, ${end.rows} rows, backed up at ${header.createdAt}`);
  print(`The service needs the master keys named ${header.masterKeys.join(', ')}.`);
}

async function byPgRestore(url: string, file: string, force: boolean): Promise<void> {
  if (!(await canUse('pg_restore', await serverMajor(url)))) {
    throw new Error(
      `${file} was written by pg_dump. Install pg_restore of the server's version or a newer one.`,
    );
  }
  assertKnown(await migrationsIn(file));
  await withSession(url, async session => {
    await assertReplaceable(session, force);
    await clear(session);
    // The file brings the table of migrations, so an empty table stands for the hidden one.
    await session.query(`CREATE TABLE ${HIDDEN_MIGRATIONS} ()`);
    await load(url, file);
    await restartFeeds(session);
    await session.query('ANALYZE');
    await session.query(`DROP TABLE ${HIDDEN_MIGRATIONS}`);
  });
  await migrate(url);
  print(`restored ${file} with pg_restore`);
}

/** Throws unless a backup with these migrations was made by this version or an older one. */
function assertKnown(migrations: readonly string[]): void {
  const known = migrationNames();
  if (migrations.every((name, index) => name === known[index])) return;
  throw new Error(
    'The backup was made by a newer or different version of the service. Restore it with that version.',
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
