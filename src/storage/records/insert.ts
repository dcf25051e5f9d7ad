import { Cte, literal, NOTHING, param, type Sql, sql } from '../../sql/index.js';
import { type CollectionShape, columnLists, tableOf } from '../collection-shape.js';
import { type Quota, quotaParts } from '../quota/quota.js';
import { type Carried, carriedCtes, type Statement, versionCheck } from '../statement.js';

/** Records to insert, already judged and laid out: a JSON array of objects with `_id`, `x` and physical columns. */
export interface RowBatch {
  readonly json: string;
  /** When the records expire; null = never. */
  readonly expiresAt: Date | null;
  /** The statement fails with 55P03 where it waits longer than this for others' records. Always the same number. */
  readonly patienceMs?: number;
}

/** Instants are kept to the millisecond. */
export const NOW = sql`date_trunc('milliseconds', statement_timestamp())`;

/** What the version check of a statement that adds records asks besides. */
interface RoomCheck {
  /** True where the quota has room. */
  readonly holds: Sql;
  /** Comes before that: while it waits, the statement must hold nothing that others wait for. */
  readonly claim?: Sql | undefined;
  /** Bounds each wait after the check. */
  readonly patienceMs?: number | undefined;
}

/** The version check of a statement that adds records, and the check of its quota. */
export function currentWithRoom(shape: CollectionShape, { holds, claim, patienceMs }: RoomCheck): Cte {
  const check = claim === undefined ? versionCheck(shape) : sql`${versionCheck(shape)} AND ${claim}`;
  if (patienceMs === undefined) return current(sql`${check} AND ${holds}`);
  // PostgreSQL evaluates the cheaper of two conditions first, and all wait alike for the lock of the quota.
  const patient = sql`set_config('lock_timeout', ${literal(String(patienceMs))}, true) IS NOT NULL`;
  return current(sql`${check} AND CASE WHEN ${holds} THEN ${patient} ELSE false END`);
}

function current(query: Sql): Cte {
  return new Cte('version_check', query, { materialized: true });
}

/** `jsonb_to_recordset(…) AS r(_id uuid, x jsonb, c1 bigint, …)`: how the JSON of a batch becomes rows. */
export function rowSource(shape: CollectionShape, batch: string, more: Sql = NOTHING): Sql {
  return sql`jsonb_to_recordset(${param(batch, 'jsonb')}) AS r(_id uuid, x jsonb${columnLists(shape).typed}${more})`;
}

/**
 * Inserts a batch with its audit event: one statement, all or nothing. One row comes back: how many version checks held
 * (0 = nothing was written: the collection has changed, its lease does not hold, or it is full). Fails with QF001 where
 * others were faster to take the room.
 */
export function insertStatement(
  shape: CollectionShape,
  { json, expiresAt, patienceMs }: RowBatch,
  quota: Quota,
  carried: Carried,
): Statement {
  const { names, ofRow } = columnLists(shape);
  const { holds, taken } = quotaParts(shape, quota);
  const current = currentWithRoom(shape, { holds, claim: carried.once?.claim, patienceMs });
  const written = new Cte(
    'written',
    sql`
      INSERT INTO ${tableOf(shape)} (_id, created_at, updated_at, expires_at, x${names})
      SELECT r._id, n.at, n.at, ${param(expiresAt, 'timestamptz')}, coalesce(r.x, '{}')${ofRow}
      FROM ${current}, (SELECT ${NOW} AS at) n, ${rowSource(shape, json)}
      RETURNING _id`,
  );
  const side = carriedCtes(carried, written, () => ({ done: sql`EXISTS (SELECT FROM ${current})` }));
  if (taken === undefined)
    return { ctes: [current, written, ...side], query: sql`SELECT count(*)::int FROM ${current}` };
  const room = taken(written);
  return {
    ctes: [current, written, room, ...side],
    query: sql`SELECT count(*)::int, (SELECT count(*) FROM ${room})::int FROM ${current}`,
  };
}
