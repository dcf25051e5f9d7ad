import { COLUMN_TYPES } from '../columns/index.js';
import type { Queryable } from '../database/queryable.js';
import { type CollectionShape, columnsOf, physicalOf, tableOf } from './collection-shape.js';
import type { Statement } from './statement.js';

/** Rows of one staged batch: those with numbers from `first` to `last`. */
export interface StagedRange {
  readonly batch: number;
  readonly first: number;
  readonly last: number;
}

/** A row that breaks a unique constraint, and which one. */
export interface Conflict {
  readonly row: number;
  readonly unique: number;
}

/**
 * Where records wait until all of them have come, so that no lock is held on a collection for as long as a client takes
 * to send them. It is gone with the transaction. `staged` is where a merge that has to begin again returns to.
 */
export async function createStage(session: Queryable): Promise<void> {
  await session.query('BEGIN');
  await session.query('CREATE TEMP TABLE staged (batch int PRIMARY KEY, rows jsonb NOT NULL) ON COMMIT DROP');
  // Compressing what is read once takes longer than writing it.
  await session.query('ALTER TABLE pg_temp.staged ALTER rows SET STORAGE EXTERNAL');
  await session.query(
    'CREATE TEMP TABLE merged (_id uuid PRIMARY KEY, fresh boolean NOT NULL) ON COMMIT DROP',
  );
}

/** Stages a JSON array of rows: `_id`, the row's number `n`, `x`, physical columns, and `d` where they are upserted. */
export async function stageBatch(session: Queryable, batch: number, rows: string): Promise<void> {
  await session.query('INSERT INTO pg_temp.staged VALUES ($1, $2)', [batch, rows]);
}

/** `FROM` clause of staged rows `r`: of one batch whose number is `$…`, or of all. */
export function stagedRows(shape: CollectionShape): string {
  const columns = columnsOf(shape).map(
    ([, physical, { type }]) => `, ${physical} ${COLUMN_TYPES[type].castType}`,
  );
  return `pg_temp.staged s, jsonb_to_recordset(s.rows) AS r(_id uuid, n int, x jsonb, d jsonb${columns.join('')})`;
}

/** The same as a query of its own, `r` with its `batch`: Citus joins no table of one node with one of another, but results. */
function stagedApart(shape: CollectionShape): string {
  return `(SELECT s.batch, r.* FROM ${stagedRows(shape)}) r`;
}

/**
 * The first 100 staged rows that break a unique: they repeat an earlier row, or a record there is; with `key`, one of
 * another key. Rows: `{row}`.
 */
export function offendersStatement(
  shape: CollectionShape,
  unique: readonly string[],
  key: string | undefined,
): Statement {
  const columns = unique.map(name => `r.${physicalOf(shape, name)}`);
  const window = `OVER (PARTITION BY ${columns.join(', ')} ORDER BY r.n)`;
  const keyColumn = key === undefined ? undefined : physicalOf(shape, key);
  const again =
    keyColumn === undefined
      ? `row_number() ${window} > 1`
      : `first_value(r.${keyColumn}) ${window} IS DISTINCT FROM r.${keyColumn}`;
  const other = keyColumn === undefined ? '' : ` AND t.${keyColumn} IS DISTINCT FROM r.${keyColumn}`;
  const text = `
    SELECT o.n AS row FROM (
      SELECT r.n, ${again} AS again, ${sharing(shape, unique, other)} AS there FROM ${stagedApart(shape)}
      WHERE ${columns.map(column => `${column} IS NOT NULL`).join(' AND ')}) o
    WHERE o.again OR o.there ORDER BY o.n LIMIT 100`;
  return { text, values: [] };
}

/** The first 100 rows of a range that were left out, and which of the uniques they break. Rows: Conflict. */
export function leftOutStatement(
  shape: CollectionShape,
  uniques: readonly (readonly string[])[],
  range: StagedRange,
): Statement {
  const which = uniques.map((unique, index) => `WHEN ${sharing(shape, unique)} THEN ${index}`);
  const text = `
    SELECT r.n AS row, CASE ${which.join(' ')} ELSE 0 END AS unique FROM ${stagedApart(shape)}
    WHERE r.batch = $1 AND r.n BETWEEN $2 AND $3 AND NOT EXISTS (SELECT FROM ${tableOf(shape)} t WHERE t._id = r._id)
    ORDER BY r.n LIMIT 100`;
  return { text, values: [range.batch, range.first, range.last] };
}

function sharing(shape: CollectionShape, unique: readonly string[], more = ''): string {
  const same = unique.map(name => physicalOf(shape, name)).map(column => `t.${column} = r.${column}`);
  return `EXISTS (SELECT FROM ${tableOf(shape)} t WHERE ${same.join(' AND ')}${more})`;
}
