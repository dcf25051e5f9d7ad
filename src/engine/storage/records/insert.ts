import { Cte, joined, NOTHING, param, type Sql, sql } from '../../../base/sql/index.js';
import { type CollectionShape, type IndexSet, wholeOf } from '../collection-shape.js';
import { keptIdsCtes } from '../history/inserted-ids.js';
import { type NamedEvent, namingEvent } from '../history/named-event.js';
import { type Quota, quotaParts } from '../quota/quota.js';
import {
  lockTimeout,
  partCtes,
  ruledCheck,
  type SharedParts,
  type Statement,
  sharedCtes,
  type WriteParts,
} from '../statement.js';
import { columnLists, tableOf } from '../table-sql.js';
import { layoutOf } from './record-layout.js';

/**
 * Records to write, validated and laid out: a JSON array of objects with `_id`, `x` and physical columns. For
 * `insertStatement` a JSON array of lists (`RowList`).
 */
export interface NewRows {
  readonly json: string;
  /** When the records expire; null means never. */
  readonly expiresAt: Date | null;
}

/** Instants are stored with milliseconds. */
export const NOW = sql`date_trunc('milliseconds', statement_timestamp())`;

/**
 * The time of a write to the record `t`. It is never before the write that it replaces, even when this one began earlier
 * and waited for it.
 */
export const WRITE_TIME = sql`greatest(${NOW}, t.updated_at)`;

/**
 * Assignments of every statement that updates a record `t`: the time and the author of the write and, with a history, the
 * number of the new version. A number below zero is that of the version which temporary values have replaced
 * (`vacateStatement`).
 */
export function writeMarks({ historySince }: CollectionShape, author: Sql): Sql {
  return sql`updated_at = ${WRITE_TIME}, updated_by = ${author}${historySince ? sql`, version = abs(t.version) + 1` : NOTHING}`;
}

/** Further conditions in the version check of a statement that adds records. */
interface CapacityCheck extends NamedEvent {
  /** SQL that is true when the quota has capacity. */
  readonly holds: Sql;
  /**
   * Claims the Idempotency-Key. It comes before `holds`: while it waits, the statement must not hold a lock that other
   * requests wait for.
   */
  readonly claim?: Sql | undefined;
  /** Lock timeout of each wait after the check. */
  readonly lockTimeoutMs?: number | undefined;
}

/** The version check of a statement that adds records, together with the check of its quota. */
export function currentWithCapacity(shape: CollectionShape, capacity: CapacityCheck): Cte {
  const { holds, claim, lockTimeoutMs } = capacity;
  const known = sql`${ruledCheck(shape)}${namingEvent(shape, capacity)}`;
  const check = claim === undefined ? known : sql`${known} AND ${claim}`;
  if (lockTimeoutMs === undefined) return current(sql`${check} AND ${holds}`);
  // The CASE fixes the order: PostgreSQL evaluates the cheaper of two conditions first, but the lock timeout must not
  // apply to the wait for the quota's lock.
  return current(sql`${check} AND CASE WHEN ${holds} THEN ${lockTimeout(lockTimeoutMs)} ELSE false END`);
}

function current(query: Sql): Cte {
  return new Cte('version_check', query, { materialized: true });
}

/** SQL that turns the JSON of records into rows: `jsonb_to_recordset(…) AS r(_id uuid, x jsonb, c1 bigint, …)`. */
export function rowSource(shape: CollectionShape, rows: string, more: Sql = NOTHING): Sql {
  return sql`jsonb_to_recordset(${param(rows, 'jsonb')}) AS r(_id uuid, x jsonb${columnLists(shape).typed}${more})`;
}

/** SQL that turns the JSON of lists into rows, as `rowSource` those of objects. `selected`: that of the layout. */
function listSource(selected: Sql, lists: string): Sql {
  return sql`(SELECT ${selected}
        FROM jsonb_array_elements(${param(lists, 'jsonb')}) AS a(list)) AS r`;
}

/**
 * Inserts records with its audit event, all or nothing. One row: the count of version checks that held. With 0 nothing
 * was written: the collection has changed, the lease has ended, or the collection is full. Fails with QF001 when other
 * writers have just taken the capacity.
 */
export function insertStatement(
  shape: CollectionShape,
  { json, expiresAt }: NewRows,
  quota: Quota,
  parts: WriteParts,
): Statement {
  const { holds, taken } = quotaParts(shape, quota);
  const current = currentWithCapacity(shape, { holds, claim: parts.idempotency?.claim });
  const rows = listSource(layoutOf(shape).selected, json);
  const author = param(parts.author, 'uuid');
  const written = new Cte('written', insertion(shape, current, { rows, expiresAt, author }));
  const capacity = taken?.(written);
  const side = [
    ...partCtes(shape, parts, written, () => ({ done: sql`EXISTS (SELECT FROM ${current})` })),
    ...(parts.keepsIds ? keptIdsCtes(shape, parts, written) : []),
  ];
  return {
    ctes: [current, written, ...present(capacity), ...side],
    query: sql`SELECT count(*)::int${countOf(capacity)} FROM ${current}`,
  };
}

/**
 * Inserts records that never expire, with an audit event for each, and leaves out those that another record or request
 * is in the way of: a unique value or an Idempotency-Key is taken. One row as that of `insertStatement`, then the ids of
 * the records that were inserted, separated by commas; null for none. `json`: lists with the author of each record
 * (`withAuthor`). `lockTimeoutMs`: limit of each wait for another transaction's record; then the statement fails with 55P03.
 */
export function sharedInsertsStatement(
  shape: CollectionShape & Pick<IndexSet, 'uniques'>,
  { json, lockTimeoutMs }: { readonly json: string; readonly lockTimeoutMs: number },
  quota: Quota,
  parts: SharedParts,
): Statement {
  const { holds, taken } = quotaParts(shape, quota);
  const current = currentWithCapacity(shape, { holds, lockTimeoutMs });
  const free = parts.free(current);
  const conditions = [
    ...(free === undefined ? [] : [sql`r._id IN (SELECT _id FROM ${free})`]),
    ...ifAllowed(shape),
  ];
  const where = conditions.length === 0 ? NOTHING : sql` WHERE ${joined(conditions, ' AND ')}`;
  const rows = sql`${listSource(layoutOf(shape).authored, json)}${where}`;
  // New ids are never taken. Without further unique values PostgreSQL would look for conflicts in vain.
  const onConflict = shape.uniques.length === 0 ? NOTHING : sql` ON CONFLICT DO NOTHING`;
  const author = sql`r.author`;
  const written = new Cte(
    'written',
    insertion(wholeOf(shape), current, { rows, expiresAt: null, author, onConflict }),
  );
  const capacity = taken?.(written);
  return {
    ctes: [
      current,
      ...present(free),
      written,
      ...present(capacity),
      ...sharedCtes(parts, free, written, written),
    ],
    query: sql`SELECT count(*)::int, (SELECT string_agg(_id::text, ',') FROM ${written})${countOf(capacity)} FROM ${current}`,
  };
}

/**
 * SQL that is true for the rows `r` that the rules of the caller allow to insert at `n.at`; nothing when all are allowed. The
 * others are left out, so that each is refused alone.
 */
function ifAllowed(shape: CollectionShape): Sql[] {
  const { writing } = shape;
  if (writing?.allowed === undefined) return [];
  const record = sql`SELECT r._id, n.at AS created_at, n.at AS updated_at, NULL::timestamptz AS expires_at,
      r.author AS created_by, r.author AS updated_by, r.x${columnLists(shape).ofRow}`;
  return [sql`EXISTS (SELECT FROM (${record}) t WHERE ${writing.allowed(NOTHING)})`];
}

/** What `insertion` inserts: SQL of the rows `r`, and of their author. */
interface Insertion extends Pick<NewRows, 'expiresAt'> {
  readonly rows: Sql;
  readonly author: Sql;
  readonly onConflict?: Sql;
}

/** Inserts the rows `r` unless the version check has failed. */
function insertion(
  shape: CollectionShape,
  current: Cte,
  { rows, expiresAt, author, onConflict = NOTHING }: Insertion,
): Sql {
  const { names, ofRow } = columnLists(shape);
  return sql`
      INSERT INTO ${tableOf(shape)} AS t (_id, created_at, updated_at, expires_at, created_by, updated_by, x${names})
      SELECT r._id, n.at, n.at, ${param(expiresAt, 'timestamptz')}, ${author}, ${author}, r.x${ofRow}
      FROM ${current}, (SELECT ${NOW} AS at) n, ${rows}${onConflict}
      RETURNING t._id${allowedColumn(shape)}`;
}

/** SQL of a further column of the records `t` that a statement has written, if rules decide whether it may. */
export function allowedColumn({ writing }: CollectionShape, held: Sql = NOTHING): Sql {
  return writing?.allowed === undefined ? NOTHING : sql`, ${writing.allowed(held)} AS allowed`;
}

/** The capacity that the statement has taken from the quota, as a further column: otherwise it would not be taken. */
function countOf(capacity: Cte | undefined): Sql {
  return capacity === undefined ? NOTHING : sql`, (SELECT count(*) FROM ${capacity})::int`;
}

function present(cte: Cte | undefined): readonly Cte[] {
  return cte === undefined ? [] : [cte];
}
