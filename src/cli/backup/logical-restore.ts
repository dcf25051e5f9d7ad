import { migrate, migrateUpTo } from '../../platform/database/migrate.js';
import { HIDDEN_MIGRATIONS } from '../../platform/database/migrating/lowest-version.js';
import type { Queryable } from '../../platform/database/queryable.js';
import { archiveLines, type Header, type Line, type SequenceLine, type TableLine } from './archive.js';
import type { Progress } from './logical-backup.js';
import { clear, restartFeeds } from './target-database.js';

/** Limits of the rows of one INSERT: their number and the length of their text. */
const ROWS_AT_ONCE = 500;
const LENGTH_AT_ONCE = 1024 * 1024;

/**
 * Fills the database from a complete backup, with one transaction per table. The table `migrations` has another name
 * until the end, so that the service does not start on a half-restored database.
 */
export async function restoreLogical(
  url: string,
  session: Queryable,
  file: string,
  header: Header,
  progress: Progress,
): Promise<void> {
  await clear(session);
  await migrateUpTo(url, header.migrations.length);
  await session.query(`ALTER TABLE migrations RENAME TO ${HIDDEN_MIGRATIONS}`);
  for (const id of header.orgIds) await session.query('SELECT create_org_schema($1)', [id]);
  await new Loader(session, progress).load(file);
  await restartFeeds(session);
  await session.query('ANALYZE');
  await session.query(`ALTER TABLE ${HIDDEN_MIGRATIONS} RENAME TO migrations`);
  await migrate(url);
}

/** Writes the lines of a backup to the database. */
class Loader {
  private open: (TableLine & { readonly insert: string }) | undefined;
  private batch: string[] = [];
  private length = 0;
  private counts = { schema: '', tables: 0, rows: 0 };

  constructor(
    private readonly session: Queryable,
    private readonly progress: Progress,
  ) {}

  async load(file: string): Promise<void> {
    for await (const text of archiveLines(file)) {
      if (text.startsWith('[')) await this.row(text);
      else await this.other(JSON.parse(text));
    }
    await this.finish();
    this.tell('');
  }

  private async row(text: string): Promise<void> {
    this.batch.push(text);
    this.length += text.length;
    if (this.batch.length >= ROWS_AT_ONCE || this.length >= LENGTH_AT_ONCE) await this.flush();
  }

  private async other(line: Line): Promise<void> {
    if ('table' in line) await this.begin(line);
    else if ('sequence' in line) await this.sequence(line);
  }

  private async begin(line: TableLine): Promise<void> {
    await this.finish();
    const [schema] = line.table;
    if (schema !== this.counts.schema) this.tell(schema);
    this.counts.tables += 1;
    // biome-ignore lint/plugin/one-transaction-class: the command has a connection of its own
    await this.session.query('BEGIN');
    if (line.create !== undefined) await this.session.query(line.create);
    // Triggers would write rows that the backup contains already. Foreign keys are still checked.
    await this.session.query(`ALTER TABLE ${line.table.join('.')} DISABLE TRIGGER USER`);
    this.open = { ...line, insert: await this.insertInto(line) };
  }

  private async insertInto({ table, columns }: TableLine): Promise<string> {
    const name = table.join('.');
    const types: { name: string; type: string }[] = await this.session.query(
      `SELECT quote_ident(attname) AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
       WHERE attrelid = $1::regclass AND attnum > 0`,
      [name],
    );
    const values = columns.map((column, at) => {
      const type = types.find(each => each.name === column)?.type;
      if (type === undefined) throw new Error(`${name} has no column ${column}`);
      return `(r.row ->> ${at})::${type}`;
    });
    return `INSERT INTO ${name} (${columns.join(', ')}) OVERRIDING SYSTEM VALUE
      SELECT ${values.join(', ')} FROM json_array_elements($1::json) AS r(row)`;
  }

  private async flush(): Promise<void> {
    if (this.open === undefined || this.batch.length === 0) return;
    await this.session.query(this.open.insert, [`[${this.batch.join(',')}]`]);
    this.counts.rows += this.batch.length;
    this.batch = [];
    this.length = 0;
  }

  private async finish(): Promise<void> {
    if (this.open === undefined) return;
    await this.flush();
    const { table, finish = [] } = this.open;
    await this.session.query(`ALTER TABLE ${table.join('.')} ENABLE TRIGGER USER`);
    for (const statement of finish) await this.session.query(statement);
    await this.session.query('COMMIT');
    this.open = undefined;
  }

  private async sequence({ sequence, value, isCalled }: SequenceLine): Promise<void> {
    await this.finish();
    await this.session.query('SELECT setval($1::regclass, $2::bigint, $3)', [
      sequence.join('.'),
      value,
      isCalled,
    ]);
  }

  private tell(next: string): void {
    const { schema, tables, rows } = this.counts;
    if (schema !== '') this.progress(schema, tables, rows);
    this.counts = { schema: next, tables: 0, rows: 0 };
  }
}
