import { execute, type Queryable } from '../../database/queryable.js';
import { joined, literal, param, type Sql, sql } from '../../sql/index.js';
import { type CollectionShape, tableOf } from '../collection-shape.js';
import { storedBytes } from '../records/row-json.js';
import { MOVES_VALUES } from '../trigger-function.js';
import { holdsAny, movingColumns } from './alter.js';

/** One UPDATE for all records that need it. It is done in slices of a few thousand records. */
export interface Pass {
  readonly shape: CollectionShape;
  readonly assignment: Sql;
  /** True for records `t` that need it. */
  readonly needed: Sql;
}

/** The records that one step of a pass has read. */
export interface Slice {
  /** The last id; null when no record was left. */
  readonly last: string | null;
  readonly rows: number;
  /** The milliseconds that PostgreSQL took to write them, as seen from here, without their commit. */
  readonly writeMs: number;
}

/** Writes records as they are, so that the trigger fills their new columns. Undefined when no column is filled. */
export function copyingPass(before: CollectionShape, after: CollectionShape): Pass | undefined {
  const moving = movingColumns(before, after);
  if (moving.length === 0) return undefined;
  return { shape: before, assignment: sql`x = t.x`, needed: sql`(${holdsAny(moving)})` };
}

/**
 * Removes flexible fields of which the values are in columns now. `leftovers` names these fields. Undefined when there are
 * none.
 */
export function cleaningPass(shape: CollectionShape, leftovers: readonly string[]): Pass | undefined {
  if (leftovers.length === 0) return undefined;
  const names = sql`ARRAY[${joined(leftovers.map(name => literal(name)))}]`;
  return { shape, assignment: sql`x = t.x - ${names}`, needed: sql`t.x ?| ${names}` };
}

/**
 * The id of the last record that needs the pass; undefined when none does. Records that are written later do not need
 * it, so a pass that ends there ends, however many are inserted meanwhile.
 */
export async function endOfPass(connection: Queryable, { shape, needed }: Pass): Promise<string | undefined> {
  const [last] = await execute(
    connection,
    sql`SELECT _id FROM ${tableOf(shape)} t WHERE ${needed} ORDER BY _id DESC LIMIT 1`,
  );
  return last?._id;
}

/** How many records the first slice may have, and the most that any slice may have. */
export const SLICE_ROWS = { first: 200, most: 5_000 };
/** How long a slice should take, because writers of its records wait for it. */
const SLICE_MS = 40;

/**
 * The records of the next slice: as many as take `SLICE_MS` with the commit, at most twice as many as before.
 * Each slice also takes a time that does not depend on its size, for its messages to PostgreSQL and for the disk. Where
 * that is long, small slices would be as slow as large ones, so only slow writes make a slice smaller than the first.
 */
export function nextSliceRows(
  limit: number,
  { tookMs, writeMs }: { tookMs: number; writeMs: number },
): number {
  const fitting = (ms: number) => Math.floor((limit * SLICE_MS) / Math.max(1, ms));
  const rows = Math.max(fitting(tookMs), Math.min(fitting(writeMs), SLICE_ROWS.first));
  return Math.max(1, Math.min(rows, limit * 2, SLICE_ROWS.most));
}

/** Long values of the records of a slice, in bytes as they are stored. The last record may have more. */
const SLICE_BYTES = literal(4 * 1024 * 1024);

/** Writes those of the next records after `from`, up to `end`, that need the pass: at most `limit`, with `SLICE_BYTES`. */
export async function writeSlice(
  transaction: Queryable,
  { shape, assignment, needed }: Pass,
  { from, end, limit }: { from: string | null; end: string; limit: number },
): Promise<Slice> {
  const upToEnd = sql`_id <= ${param(end, 'uuid')}`;
  const next = from === null ? upToEnd : sql`_id > ${param(from, 'uuid')} AND ${upToEnd}`;
  const began = performance.now();
  await execute(transaction, sql`SELECT ${MOVES_VALUES}`);
  const sent = performance.now();
  const [slice] = await execute(
    transaction,
    sql`
    WITH slice AS MATERIALIZED (
      SELECT _id FROM (
        SELECT _id, sum(bytes) OVER (ORDER BY _id) - bytes AS preceding FROM (
          SELECT _id, ${storedBytes(shape)} AS bytes FROM ${tableOf(shape)} t
          WHERE ${next} ORDER BY _id LIMIT ${literal(Math.trunc(limit))}) m) s
      WHERE preceding < ${SLICE_BYTES}),
    written AS (
      UPDATE ${tableOf(shape)} t SET ${assignment} WHERE t._id IN (SELECT _id FROM slice) AND ${needed}
      RETURNING 1)
    SELECT (SELECT _id FROM slice ORDER BY _id DESC LIMIT 1) AS last, (SELECT count(*)::float8 FROM slice) AS rows
    FROM (SELECT count(*) FROM written) w`,
  );
  // The first statement takes as long as a message to PostgreSQL and back.
  const messageMs = sent - began;
  return { ...slice, writeMs: Math.max(0, performance.now() - sent - messageMs) };
}
