import { joined, literal, param, type Sql, sql } from '../../../base/sql/index.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import { type CollectionShape } from '../collection-shape.js';
import { storedBytes } from '../records/row-json.js';
import { tableOf } from '../table-sql.js';
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
  /** How many of them needed the pass. */
  readonly written: number;
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

/** Writes those of the next records after `from`, up to `end`, that need the pass: at most `limit`, with `SLICE_BYTES`. */
export async function writeSlice(
  transaction: Queryable,
  { shape, assignment, needed }: Pass,
  { from, end, limit }: { from: string | null; end: string; limit: number },
): Promise<Slice> {
  const upToEnd = sql`_id <= ${param(end, 'uuid')}`;
  const next = from === null ? upToEnd : sql`_id > ${param(from, 'uuid')} AND ${upToEnd}`;
  await execute(transaction, sql`SELECT ${MOVES_VALUES}`);
  const [slice] = await execute(
    transaction,
    sql`
    WITH slice AS MATERIALIZED (
      SELECT _id FROM (
        SELECT _id, sum(bytes) FILTER (WHERE needed) OVER preceding AS bytes,
          count(*) FILTER (WHERE needed) OVER preceding AS written
        FROM (
          SELECT _id, ${needed} AS needed, ${storedBytes(shape)} AS bytes FROM ${tableOf(shape)} t
          WHERE ${next} ORDER BY _id LIMIT ${literal(Math.min(limit * READ_PER_WRITTEN, MAX_ROWS))}) m
        WINDOW preceding AS (ORDER BY _id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) s
      WHERE coalesce(bytes, 0) < ${SLICE_BYTES} AND written < ${literal(limit)}),
    written AS (
      UPDATE ${tableOf(shape)} t SET ${assignment} WHERE t._id IN (SELECT _id FROM slice) AND ${needed}
      RETURNING 1)
    SELECT (SELECT _id FROM slice ORDER BY _id DESC LIMIT 1) AS last, (SELECT count(*)::float8 FROM slice) AS rows,
      count(*)::float8 AS written
    FROM written`,
  );
  return slice;
}

/** Long values of the records of a slice, in bytes as they are stored. The last record may have more. */
const SLICE_BYTES = literal(4 * 1024 * 1024);
/** How long a slice should take with its commit, because writers of its records wait for it. */
const SLICE_MS = 40;
const FIRST_ROWS = 200;
const MAX_ROWS = 5_000;
/** Records that a slice reads, where few of them need the pass, for each that it may write. */
const READ_PER_WRITTEN = 10;
/** Weight of a time in comparison with the next one. */
const KEPT = 0.8;

/**
 * How many records a slice may write. Each slice also takes a time that does not depend on its size, for its messages to
 * PostgreSQL and for the disk. Where that is long, smaller slices would take nearly as long as larger ones, and the pass
 * would never end. So the time for each record is found by comparing slices of different sizes (linear regression).
 */
export class SliceSize {
  rows = FIRST_ROWS;
  private perRow: number | undefined;
  private weight = 0;
  private readonly mean = { rows: 0, ms: 0 };
  private variance = 0;
  private covariance = 0;

  /** Notes how long a slice took. */
  took(ms: number, written: number): void {
    if (written === 0) return;
    this.note(ms, written);
    const { mean, variance, covariance } = this;
    const average = mean.ms / mean.rows;
    // Slices of one size tell nothing. Before there were others, all of the time is taken for that of the records.
    if (this.perRow === undefined) this.perRow = average;
    else if (variance > 0.01 * mean.rows ** 2)
      this.perRow = Math.min(Math.max(covariance / variance, this.perRow / 4), average);
    const fixed = mean.ms - this.perRow * mean.rows;
    const fitting = Math.floor(Math.max(SLICE_MS - fixed, SLICE_MS / 2) / Math.max(this.perRow, 0.001));
    this.rows = Math.max(1, Math.min(fitting, this.rows * 2, MAX_ROWS));
  }

  /** Updates the weighted means, variance and covariance. */
  private note(ms: number, written: number): void {
    this.weight = this.weight * KEPT + 1;
    const part = 1 / this.weight;
    const [byRows, byMs] = [written - this.mean.rows, ms - this.mean.ms];
    this.mean.rows += part * byRows;
    this.mean.ms += part * byMs;
    this.variance = (1 - part) * (this.variance + part * byRows * byRows);
    this.covariance = (1 - part) * (this.covariance + part * byRows * byMs);
  }
}
