import { joined, literal, NOTHING, param, type Sql, sql } from '../../../base/sql/index.js';
import type { Queryable } from '../../../platform/database/queryable.js';
import { type CollectionShape, columnOf } from '../collection-shape.js';
import { sameColumns } from '../records/upsert.js';
import { columnLists, tableOf } from '../table-sql.js';

/** Rows of one staged batch, by their numbers from `first` to `last`. */
export interface StagedRange {
  readonly batch: number;
  readonly first: number;
  readonly last: number;
}

/** The caller of an import, as records name it, and the column of an upsert. */
export interface StagedBy {
  readonly key: string | undefined;
  readonly author: string | null;
}

/** A row that violates a unique constraint, and the index of that constraint. */
export interface Conflict {
  readonly row: number;
  readonly unique: number;
}

/**
 * Begins a transaction and creates temporary tables that stage records until all have arrived, so that no lock on a
 * collection is held while a client sends them. They are dropped at the end of the transaction; with `keepsLines` the
 * texts of the rows and of refused rows stay until the session is closed. The caller sets the savepoint `staged` when
 * all records are staged; a merge that starts again rolls back to it.
 */
export async function createStage(session: Queryable, keepsLines: boolean): Promise<void> {
  const until = keepsLines ? '' : 'ON COMMIT DROP';
  // biome-ignore lint/plugin/one-transaction-class: an import has a connection of its own, and the transaction ends with it
  await session.query('BEGIN');
  await session.query(
    `CREATE TEMP TABLE staged (batch int PRIMARY KEY, rows jsonb NOT NULL, lines text) ${until}`,
  );
  // Compressing data that is read only once takes longer than writing it.
  await session.query(
    'ALTER TABLE pg_temp.staged ALTER rows SET STORAGE EXTERNAL, ALTER lines SET STORAGE EXTERNAL',
  );
  if (keepsLines)
    await session.query('CREATE TEMP TABLE refused (piece int PRIMARY KEY, lines text NOT NULL)');
  await session.query(
    'CREATE TEMP TABLE merged (_id uuid PRIMARY KEY, fresh boolean NOT NULL) ON COMMIT DROP',
  );
}

/**
 * A staged row: its number, and the rows of the file that were merged into it, each with its text. The text is null when
 * it is too long.
 */
export type StagedLine = readonly [number: number, rows: readonly (readonly [number, string | null])[]];

/**
 * Stages a JSON array of rows: `_id`, the row's number `n`, `x`, physical columns, and for an upsert `d`. `lines` is the
 * JSON text of their StagedLines; null when they are not needed.
 */
export async function stageBatch(
  session: Queryable,
  batch: number,
  rows: string,
  lines: string | null,
): Promise<void> {
  await session.query('INSERT INTO pg_temp.staged VALUES ($1, $2, $3)', [batch, rows, lines]);
}

/** The lines of a batch, also after the end of the transaction. */
export async function stagedLines(session: Queryable, batch: number): Promise<readonly StagedLine[]> {
  const [row]: { lines: string }[] = await session.query(
    'SELECT lines FROM pg_temp.staged WHERE batch = $1',
    [batch],
  );
  return JSON.parse(row?.lines as string);
}

/** Stores a part of the answer that the client does not read yet. Needs `keepsLines`. */
export async function storeRefused(session: Queryable, piece: number, lines: string): Promise<void> {
  await session.query('INSERT INTO pg_temp.refused VALUES ($1, $2)', [piece, lines]);
}

/** A part that was stored. */
export async function storedRefused(session: Queryable, piece: number): Promise<string> {
  const [row]: { lines: string }[] = await session.query(
    'SELECT lines FROM pg_temp.refused WHERE piece = $1',
    [piece],
  );
  return row?.lines as string;
}

/** `FROM` clause of staged rows `r`, each of the batch `s`. */
export function stagedRows(shape: CollectionShape): Sql {
  return sql`pg_temp.staged s, jsonb_to_recordset(s.rows) AS r(_id uuid, n int, x jsonb, d jsonb${columnLists(shape).typed})`;
}

/**
 * The staged rows as a subquery, `r` with its `batch`. Citus can join the table of a node with the result of a
 * subquery, but not with a local table.
 */
function stagedApart(shape: CollectionShape, author: string | null): Sql {
  return sql`(SELECT s.batch, r.*, ${param(author, 'uuid')} AS created_by FROM ${stagedRows(shape)}) r`;
}

/**
 * The staged rows that violate a unique constraint, because of an earlier row or an existing record, in their order.
 * With `key`, only rows and records with a different key conflict. Rows: `{row}`.
 */
export function offendersStatement(
  shape: CollectionShape,
  unique: readonly string[],
  { key, author }: StagedBy,
): Sql {
  const columns = unique.map(name => sql`r.${columnOf(shape, name)}`);
  const window = sql`OVER (PARTITION BY ${joined(columns)} ORDER BY r.n)`;
  const keyColumn = key === undefined ? undefined : columnOf(shape, key);
  const again =
    keyColumn === undefined
      ? sql`row_number() ${window} > 1`
      : sql`first_value(r.${keyColumn}) ${window} IS DISTINCT FROM r.${keyColumn}`;
  const other = keyColumn === undefined ? NOTHING : sql` AND t.${keyColumn} IS DISTINCT FROM r.${keyColumn}`;
  const given = columns.map(column => sql`${column} IS NOT NULL`);
  return sql`
    SELECT o.n AS row FROM (
      SELECT r.n, ${again} AS again, ${sharing(shape, unique, other)} AS there FROM ${stagedApart(shape, author)}
      WHERE ${joined(given, ' AND ')}) o
    WHERE o.again OR o.there ORDER BY o.n`;
}

/** The first rows of a range that were skipped, and the unique constraint that each violates. Rows: Conflict. */
export function leftOutStatement(
  shape: CollectionShape,
  uniques: readonly (readonly string[])[],
  { range, author }: { readonly range: StagedRange; readonly author: string | null },
  limit: number,
): Sql {
  const { batch, first, last } = range;
  const which = uniques.map((unique, index) => sql`WHEN ${sharing(shape, unique)} THEN ${literal(index)}`);
  return sql`
    SELECT r.n AS row, CASE ${joined(which, ' ')} ELSE 0 END AS unique FROM ${stagedApart(shape, author)}
    WHERE r.batch = ${param(batch, 'integer')} AND r.n BETWEEN ${param(first, 'integer')} AND ${param(last, 'integer')}
      AND NOT EXISTS (SELECT FROM ${tableOf(shape)} t WHERE t._id = r._id)
    ORDER BY r.n LIMIT ${literal(limit)}`;
}

function sharing(shape: CollectionShape, unique: readonly string[], more = NOTHING): Sql {
  return sql`EXISTS (SELECT FROM ${tableOf(shape)} t WHERE ${sameColumns(shape, unique)}${more})`;
}

/** A staged row and the fields that it sends: columns by their physical names, and flexible fields. */
export interface StagedNames {
  readonly id: string;
  readonly row: number;
  readonly columns: readonly string[];
  readonly flexible: readonly string[];
}

/** SQL of the rows of a range with their fields. Rows: StagedNames. */
export function stagedNamesStatement(range: StagedRange): Sql {
  const names = (fields: Sql) => sql`ARRAY(SELECT jsonb_object_keys(coalesce(${fields}, '{}')))`;
  return sql`
    SELECT e.row ->> '_id' AS id, (e.row ->> 'n')::int AS row, ${names(sql`e.row - ARRAY['_id', 'n', 'x', 'd']`)} AS columns,
      ${names(sql`e.row -> 'x'`)} AS flexible
    FROM pg_temp.staged s, jsonb_array_elements(s.rows) AS e(row)
    WHERE s.batch = ${param(range.batch, 'integer')}
      AND (e.row ->> 'n')::int BETWEEN ${param(range.first, 'integer')} AND ${param(range.last, 'integer')}
    ORDER BY row`;
}

/** SQL of the rows `r` of a range, for a FROM clause. */
export function stagedKeys(shape: CollectionShape, { batch, first, last }: StagedRange): Sql {
  return sql`(SELECT r.* FROM ${stagedRows(shape)}
    WHERE s.batch = ${param(batch, 'integer')} AND r.n BETWEEN ${param(first, 'integer')} AND ${param(last, 'integer')}) r`;
}
