import { isPlaced } from '../database/citus/org-placement.js';
import type { Queryable } from '../database/queryable.js';
import { ALIVE, type CollectionShape, columnsOf, physicalOf, tableOf } from './collection-shape.js';
import { type StagedRange, stagedRows } from './copy-stage.js';
import { NOW, quotaFence } from './insert.js';
import { hasRoom } from './quota.js';
import { fencedParameters, type Statement } from './statement.js';

/** What staged rows become records by. */
export interface Merge {
  /** When new records expire; null = never. */
  readonly expiresAt: Date | null;
  /** Upsert: a column with a unique of its own. */
  readonly key: string | undefined;
  /** Append: rows that break a unique are left out, where else the statement fails with 23505. */
  readonly leaveOut: boolean;
  readonly range: StagedRange;
}

/** What comes back of a merge. */
export interface MergedRange {
  /** 0: nothing was written, the collection has changed. */
  readonly fences: number;
  readonly sent: number;
  readonly inserted: number;
}

/**
 * Locks the records whose key was staged, in the order of ids, as every write locks them: merges go through the file, and
 * an UPDATE with a join through its plan.
 */
export async function lockKeys(session: Queryable, shape: CollectionShape, key: string): Promise<void> {
  const column = physicalOf(shape, key);
  const locked = `
    SELECT t._id FROM ${tableOf(shape)} t WHERE t.${column} IN (SELECT r.${column} FROM ${stagedRows(shape)}) AND ${ALIVE}
    ORDER BY t._id FOR NO KEY UPDATE OF t`;
  // Citus cannot read what a subquery returns that locks.
  const text = (await isPlaced(session, shape.orgId))
    ? `CREATE TEMP TABLE locked ON COMMIT DROP AS ${locked}`
    : `WITH locked AS MATERIALIZED (${locked}) SELECT count(*) FROM locked`;
  await session.query(text);
}

/**
 * Makes records of a range of staged rows; which, is kept in `merged`. Upsert: the records whose key exists are updated,
 * field by field as they were sent; no key is twice in a batch. Rows: one MergedRange.
 */
export function mergeStatement(shape: CollectionShape, merge: Merge): Statement {
  const parameters = fencedParameters(shape);
  const add = parameters.add.bind(parameters);
  const { batch, first, last } = merge.range;
  // The room for all ranges is taken at the end, so that nobody waits for the quota meanwhile.
  const fence = quotaFence(hasRoom(shape, '0', '0'));
  const range = `s.batch = ${add(batch, 'int')} AND r.n BETWEEN ${add(first, 'int')} AND ${add(last, 'int')}`;
  const columns = columnsOf(shape).map(([, physical]) => physical);
  const key = merge.key === undefined ? undefined : physicalOf(shape, merge.key);
  const updated = key === undefined ? undefined : updateSql(shape, key, columns);
  const unmatched =
    key === undefined ? '' : ` WHERE NOT EXISTS (SELECT FROM updated u WHERE u.key = r.${key})`;
  const tracked = updated === undefined ? '' : ' UNION ALL SELECT _id, false FROM updated';
  const text = `
    WITH fence AS MATERIALIZED (${fence}),
    input AS MATERIALIZED (SELECT r.* FROM fence, ${stagedRows(shape)} WHERE ${range}),
    ${updated === undefined ? '' : `updated AS (${updated}),`}
    inserted AS (
      INSERT INTO ${tableOf(shape)} (_id, created_at, updated_at, expires_at, x${list(columns)})
      SELECT r._id, ${NOW}, ${NOW}, ${add(merge.expiresAt, 'timestamptz')}, coalesce(r.x, '{}')${list(columns, 'r.')}
      FROM input r${unmatched} ORDER BY r._id ${merge.leaveOut ? 'ON CONFLICT DO NOTHING' : ''}
      RETURNING _id),
    tracked AS (
      INSERT INTO pg_temp.merged SELECT _id, true FROM inserted${tracked} ON CONFLICT DO NOTHING)
    SELECT (SELECT count(*) FROM fence)::int AS fences, (SELECT count(*) FROM input)::int AS sent,
      (SELECT count(*) FROM inserted)::int AS inserted`;
  return { text, values: parameters.values };
}

/** What all merges together came to: one row. */
export const MERGED = `
  SELECT count(*)::int AS written, (count(*) FILTER (WHERE fresh))::int AS inserted,
    ARRAY(SELECT _id::text FROM pg_temp.merged ORDER BY _id LIMIT 1000) AS ids
  FROM pg_temp.merged`;

function updateSql(shape: CollectionShape, key: string, columns: readonly string[]): string {
  const assignments = columns.map(
    name => `, ${name} = CASE WHEN r.d ? '${name}' THEN r.${name} ELSE t.${name} END`,
  );
  return `UPDATE ${tableOf(shape)} t SET updated_at = ${NOW}, x = t.x || coalesce(r.x, '{}')${assignments.join('')}
      FROM input r WHERE t.${key} = r.${key} AND ${ALIVE} RETURNING t._id, r.${key} AS key`;
}

function list(columns: readonly string[], prefix = ''): string {
  return columns.map(name => `, ${prefix}${name}`).join('');
}
