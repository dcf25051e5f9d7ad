import { isGone } from '../../base/kernel/sql-state.js';
import type { Queryable } from '../../platform/database/queryable.js';
import { BEGIN_SNAPSHOT } from '../../platform/database/transactions.js';
import type { EndLine, Header, SequenceLine, TableLine } from './archive.js';
import { type CatalogTable, definitionOf, qualified, sequencesOf, tablesOf } from './catalog.js';

/**
 * Limits of the rows of one FETCH, which are in memory together. A row can be 16 MiB; after long rows fewer are
 * fetched.
 */
const ROWS_AT_ONCE = 20;
const LENGTH_AT_ONCE = 1024 * 1024;
const LOCKED_AT_ONCE = 200;
const ATTEMPTS = 5;
/** Called after each schema. */
export type Progress = (schema: string, tables: number, rows: number) => void;

/**
 * The whole database as lines, from one snapshot. All tables are locked before the snapshot is taken, so that none is
 * altered or dropped during the backup. The locks do not block reads and writes of records.
 */
export async function* backupLines(session: Queryable, progress: Progress): AsyncGenerator<string> {
  await openSnapshot(session);
  const tables = await tablesOf(session);
  yield line(await headerOf(session));
  let rows = 0;
  for (const [schema, ofSchema] of bySchema(tables)) {
    let ofThis = 0;
    for (const table of ofSchema) {
      // The savepoint releases the locks that reading takes on indexes: PostgreSQL has room for a few thousand locks.
      await session.query('SAVEPOINT before_table');
      const { create, ...definition } = await definitionOf(session, table);
      const head: TableLine = { table: [table.schema, table.name], ...definition, ...(create && { create }) };
      yield line(head);
      for await (const texts of rowsOf(session, table, definition.columns)) {
        ofThis += texts.length;
        yield `${texts.join('\n')}\n`;
      }
      await session.query('ROLLBACK TO SAVEPOINT before_table');
    }
    rows += ofThis;
    progress(schema, ofSchema.length, ofThis);
  }
  yield* sequenceLines(session);
  const end: EndLine = { end: true, tables: tables.length, rows };
  yield line(end);
  await session.query('COMMIT');
}

async function openSnapshot(session: Queryable): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const tables = await tablesOf(session);
    // biome-ignore lint/plugin/one-transaction-class: the command has a connection of its own
    await session.query(BEGIN_SNAPSHOT);
    try {
      // LOCK does not take the snapshot of the transaction; the first query after it does.
      await lock(session, tables);
      const known = new Set(tables.map(({ oid }) => oid));
      await lock(
        session,
        (await tablesOf(session)).filter(({ oid }) => !known.has(oid)),
      );
      return;
    } catch (error) {
      await session.query('ROLLBACK');
      if (!isGone(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function lock(session: Queryable, tables: readonly CatalogTable[]): Promise<void> {
  for (let first = 0; first < tables.length; first += LOCKED_AT_ONCE) {
    const names = tables.slice(first, first + LOCKED_AT_ONCE).map(qualified);
    await session.query(`LOCK TABLE ${names.join(', ')} IN ACCESS SHARE MODE`);
  }
}

async function headerOf(session: Queryable): Promise<Header> {
  const migrations: { name: string }[] = await session.query(
    'SELECT name FROM migrations ORDER BY timestamp',
  );
  const masterKeys: { name: string }[] = await session.query(
    `SELECT DISTINCT split_part(sealed_pepper, '.', 1) AS name FROM master_keys ORDER BY 1`,
  );
  const orgs: { id: string }[] = await session.query(
    'SELECT id FROM orgs WHERE deleted_at IS NULL ORDER BY id',
  );
  const [{ now }] = await session.query('SELECT now() AS now');
  return {
    format: 'typed-collections backup',
    version: 1,
    createdAt: now.toISOString(),
    migrations: migrations.map(({ name }) => name),
    masterKeys: masterKeys.map(({ name }) => name),
    orgIds: orgs.map(({ id }) => id),
  };
}

async function* rowsOf(
  session: Queryable,
  table: CatalogTable,
  columns: readonly string[],
): AsyncGenerator<string[]> {
  const texts = columns.map(column => `t.${column}::text`).join(', ');
  await session.query(
    `DECLARE kept NO SCROLL CURSOR FOR SELECT to_json(ARRAY[${texts}])::text AS row FROM ${qualified(table)} t`,
  );
  for (let limit = 10; ; ) {
    const rows: { row: string }[] = await session.query(`FETCH ${limit} FROM kept`);
    if (rows.length > 0) yield rows.map(({ row }) => row);
    if (rows.length < limit) return;
    const length = rows.reduce((sum, { row }) => sum + row.length, 0);
    limit = Math.min(ROWS_AT_ONCE, Math.max(1, Math.floor((LENGTH_AT_ONCE * limit) / length)));
  }
}

async function* sequenceLines(session: Queryable): AsyncGenerator<string> {
  for (const { schema, name, value } of await sequencesOf(session)) {
    // A sequence that was never used has no last value.
    const sequence: SequenceLine = {
      sequence: [schema, name],
      value: value ?? '1',
      isCalled: value !== null,
    };
    yield line(sequence);
  }
}

function bySchema(tables: readonly CatalogTable[]): Map<string, CatalogTable[]> {
  const schemas = new Map<string, CatalogTable[]>();
  for (const table of tables) schemas.set(table.schema, [...(schemas.get(table.schema) ?? []), table]);
  return schemas;
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
