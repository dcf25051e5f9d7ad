import { Cte, joined, literal, NOTHING, param, type Sql, sql } from '../../../base/sql/index.js';
import { lockKey } from '../../../platform/database/advisory-locks.js';
import type { Rows } from '../../../platform/database/statements.js';
import { ALIVE, type CollectionShape, columnOf, systemColumn } from '../collection-shape.js';
import { keptIdsCtes } from '../history/inserted-ids.js';
import { hasCapacity, takenCte } from '../quota/quota.js';
import {
  partCtes,
  type Read,
  ruledCheck,
  type Statement,
  versionCheck,
  type WriteParts,
} from '../statement.js';
import { columnLists, columnsOf, tableOf } from '../table-sql.js';
import { currentWithCapacity, type NewRows, NOW, rowSource, writeMarks } from './insert.js';
import { type FutureRecord, flexibleIf, isOversize } from './record-size.js';
import { type Selection, selects } from './selection.js';

export interface BulkUpsert {
  /** A column with a unique constraint of its own. In the request it is never null, and each value occurs once. */
  readonly key: string;
  /** Rows that also have `d`: an object with a member for every physical column that was sent, even as null. */
  readonly rows: NewRows;
  /** `max_records`. */
  readonly most: number;
}

/**
 * Updates the records of a bulk whose key exists, only in the fields that were sent, and inserts the others, with one
 * audit event. One row: the count of version checks that held, the number of new records, and 1 when they fit under
 * `max_records`; otherwise nothing was written. When two such statements run at once, one may fail with 23505, or with
 * QF001 when the other took the capacity first; the caller then retries it. Refuses the size of a record that would be
 * larger than 16 MiB. Two such statements never deadlock: records are locked in the order of ids, as in every write,
 * before the UPDATE, which would lock them in the order of its join plan; new records are inserted afterwards, in the
 * order of the bulk.
 */
export function bulkUpsertStatement(
  shape: CollectionShape,
  upsert: BulkUpsert,
  parts: WriteParts,
): Statement {
  const { key: keyName, rows } = upsert;
  const [table, key] = [tableOf(shape), columnOf(shape, keyName)];
  const { names, ofRow } = columnLists(shape);
  const most = param(upsert.most, 'bigint');
  const author = param(parts.author, 'uuid');
  const holds = hasCapacity(shape, literal(0), most);
  const current = currentWithCapacity(shape, {
    holds,
    claim: parts.idempotency?.claim,
    eventId: parts.eventId,
  });
  const input = new Cte(
    'input',
    sql`SELECT r.* FROM ${current}, ${rowSource(shape, rows.json, sql`, d jsonb`)}`,
    { materialized: true, computed: true },
  );
  const fresh = new Cte(
    'fresh',
    sql`SELECT count(*) AS n FROM ${input} r WHERE NOT EXISTS (SELECT FROM ${table} t WHERE t.${key} = r.${key} AND ${ALIVE})`,
  );
  const capacity = new Cte(
    'capacity',
    sql`SELECT 1 FROM ${current}, ${fresh} WHERE ${hasCapacity(shape, sql`${fresh}.n`, most)}`,
    { materialized: true },
  );
  const locked = new Cte(
    'locked',
    sql`
      SELECT FROM ${table} t, ${capacity} WHERE t.${key} IN (SELECT r.${key} FROM ${input} r) AND ${ALIVE}
      ORDER BY t._id FOR NO KEY UPDATE OF t`,
    { materialized: true },
  );
  const updated = new Cte(
    'updated',
    sql`
      UPDATE ${table} t SET ${sentFields(shape, author)}
      FROM ${input} r, ${capacity} WHERE t.${key} = r.${key} AND ${ALIVE} AND (SELECT count(*) FROM ${locked}) >= 0
      RETURNING t._id, t.${key} AS key`,
  );
  const inserted = new Cte(
    'inserted',
    sql`
      INSERT INTO ${table} (_id, created_at, updated_at, expires_at, created_by, updated_by, x${names})
      SELECT r._id, ${NOW}, ${NOW}, ${param(rows.expiresAt, 'timestamptz')}, ${author}, ${author}, coalesce(r.x, '{}')${ofRow}
      FROM ${input} r, ${capacity} WHERE NOT EXISTS (SELECT FROM ${updated} u WHERE u.key = r.${key})
      RETURNING _id`,
  );
  const taken = takenCte(shape, inserted, most);
  const written = new Cte('written', sql`SELECT _id FROM ${updated} UNION ALL SELECT _id FROM ${inserted}`, {
    computed: true,
  });
  const side = [
    ...partCtes(shape, parts, written, () => ({ done: sql`EXISTS (SELECT FROM ${capacity})` })),
    ...keptIdsCtes(shape, parts, inserted),
  ];
  return {
    ctes: [current, input, fresh, capacity, locked, updated, inserted, taken, written, ...side],
    query: sql`
    SELECT (SELECT count(*) FROM ${current})::int AS current, (SELECT n FROM ${fresh})::int AS fresh,
      (SELECT count(*) FROM ${capacity})::int AS capacity, (SELECT count(*) FROM ${taken})::int AS taken`,
  };
}

/** A record `t` after an upsert by a row `r`: the row has all that was sent, even as null. */
const UPSERTED: FutureRecord = {
  flexible: sql`CASE WHEN r.x IS NULL THEN t.x ELSE t.x || r.x END`,
  column: ({ physical, column }) =>
    sql`CASE WHEN r.d ? ${literal(physical)} THEN r.${column} ELSE t.${column} END`,
};

/** Assignments to a record `t` of a row `r` by `author`. Refuses the size of a record that would be larger than 16 MiB. */
export function sentFields(shape: CollectionShape, author: Sql): Sql {
  const columns = joined(
    columnsOf(shape).map(column => sql`, ${column.column} = ${UPSERTED.column(column)}`),
    '',
  );
  const x = flexibleIf(sql`NOT ${isOversize(shape, UPSERTED)}`, UPSERTED.flexible);
  return sql`${writeMarks(shape, author)}, x = ${x}${columns}`;
}

/** The ids of rows of a bulk whose upsert would make a record larger than 16 MiB, at most 100. `Stale` if there are none. */
export function oversizeStatement(shape: CollectionShape, keyName: string, rows: string): Read<string[]> {
  const key = columnOf(shape, keyName);
  const query = sql`
    SELECT r._id FROM (${ruledCheck(shape)}) f, ${rowSource(shape, rows, sql`, d jsonb`)}, ${tableOf(shape)} t
    WHERE t.${key} = r.${key} AND ${ALIVE} AND ${isOversize(shape, UPSERTED)} LIMIT 100`;
  return { query, decode: idsOf };
}

/** Stored records that a request replaces, so that their values are free: by `_id`, or by the key of an upsert. */
export type Replaced = { readonly ids: readonly string[] } | { readonly key: string };

/**
 * The ids of rows of a request that have the same values as another stored record in the columns of a unique constraint. The
 * rows have `created_by` if it covers the author.
 * `Stale` if there are none.
 */
export function conflictsStatement(
  shape: CollectionShape,
  unique: readonly string[],
  rows: string,
  replaced: Replaced,
): Read<string[]> {
  const author = unique.some(name => systemColumn(shape.columns, name)) ? sql`, created_by uuid` : NOTHING;
  const isOther =
    'ids' in replaced
      ? sql`t._id <> ALL(${param(replaced.ids, 'uuid[]')})`
      : sql`t.${columnOf(shape, replaced.key)} IS DISTINCT FROM r.${columnOf(shape, replaced.key)}`;
  const query = sql`
    SELECT r._id FROM (${ruledCheck(shape)}) f, ${rowSource(shape, rows, author)}
    WHERE EXISTS (SELECT FROM ${tableOf(shape)} t WHERE ${sameColumns(shape, unique)} AND ${isOther} AND ${ALIVE})`;
  return { query, decode: idsOf };
}

function idsOf(rows: Rows): string[] {
  return rows.map(([id]) => id as string);
}

/** SQL that is true when the record `t` and the row `r` have the same values in these columns, none of them null. */
export function sameColumns(shape: CollectionShape, names: readonly string[]): Sql {
  return joined(
    names.map(name => columnOf(shape, name)).map(column => sql`t.${column} = r.${column}`),
    ' AND ',
  );
}

/**
 * Makes upserts of the same key, and bulk upserts, wait until this transaction ends. The lock needs a statement of its
 * own before the upsert, because a statement that waits for a lock keeps its older snapshot.
 */
export function keyLockStatement(shape: CollectionShape, key: string): Sql {
  const ofKey = lockKey('upsertKey', param(`${shape.id} ${key}`, 'text'));
  return sql`SELECT pg_advisory_xact_lock_shared(${allKeys(shape)}), pg_advisory_xact_lock(${ofKey})`;
}

/**
 * Makes all other upserts of the collection wait for a bulk upsert. A lock for each of its keys would be too many
 * locks.
 */
export function allKeysLockStatement(shape: CollectionShape): Sql {
  return sql`SELECT pg_advisory_xact_lock(${allKeys(shape)})`;
}

function allKeys({ id }: CollectionShape): Sql {
  return lockKey('upserts', sql`${param(id, 'uuid')}::text`);
}

/** One row: `found`, true when a selected record exists. No row when the version check failed. */
export function existsStatement(shape: CollectionShape, selection: Selection): Sql {
  const found = sql`SELECT 1 FROM ${tableOf(shape)} t WHERE ${selects(shape, selection)}`;
  return sql`SELECT EXISTS (${found}) AS found FROM (${versionCheck(shape)}) f`;
}
