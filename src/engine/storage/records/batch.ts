import { Cte, joined, NOTHING, param, type Sql, sql, typeName } from '../../../base/sql/index.js';
import { COLUMN_TYPES, type ColumnTypeName } from '../../columns/index.js';
import { changesTable } from '../changes/change-feed.js';
import { ALIVE, type CollectionShape, columnOf, declaredColumn, systemColumn } from '../collection-shape.js';
import { hasCapacity, type Quota, quotaParts, returnStatement, takeStatement } from '../quota/quota.js';
import { ruledCheck, type Statement } from '../statement.js';
import { columnLists, columnsOf, type TableColumn, tableOf } from '../table-sql.js';
import { currentWithCapacity, type NewRows, NOW, rowSource, writeMarks } from './insert.js';
import { flexibleIf, mayBeOversize } from './record-size.js';
import { recordTag, rowJson, storedBytes } from './row-json.js';

/** Records that a batch locks, and what it reads of them. */
export interface BatchLock {
  readonly ids: readonly string[];
  /** Records of which the whole text is read, unless it is longer than `maxBytes`. */
  readonly read: readonly string[];
  readonly maxBytes: number;
  /** Declared columns whose values are read of all records. */
  readonly keys: readonly string[];
}

/** A locked record of a batch. All fields are null in the one row that is returned when no record exists. */
export interface LockedBatchRow {
  readonly id: string | null;
  /** The opaque part of its entity tag. */
  readonly tag: string;
  /** JSON object of the values of `keys` by their physical names; null without `keys`. */
  readonly keys: string | null;
  readonly text: string | null;
}

/**
 * Locks the records of a batch in the order of ids, as every write does, until the transaction ends. Rows:
 * LockedBatchRow; none when the version check failed.
 */
export function lockBatchStatement(shape: CollectionShape, { ids, read, maxBytes, keys }: BatchLock): Sql {
  const record = rowJson(shape);
  const most = param(Math.trunc(maxBytes), 'integer');
  const isRead = sql`t._id = ANY(${param(read, 'uuid[]')}) AND ${storedBytes(shape)} <= ${most}`;
  return sql`
    SELECT p.id, p.tag, p.keys, CASE WHEN octet_length(p.text) <= ${most} THEN p.text END AS text
    FROM (${ruledCheck(shape)}) f LEFT JOIN LATERAL (
      SELECT t._id::text, ${recordTag(shape)}, ${keysText(shape, keys)}, CASE WHEN ${isRead} THEN ${record.text} END
      FROM ${tableOf(shape)} t ${record.join}
      WHERE ${ALIVE} AND t._id = ANY(${param(ids, 'uuid[]')})
      ORDER BY t._id FOR UPDATE OF t) p(id, tag, keys, text) ON true`;
}

function keysText(shape: CollectionShape, keys: readonly string[]): Sql {
  if (keys.length === 0) return sql`NULL::text`;
  const values = chosenColumns(shape, keys).map(
    ({ column, definition: { type } }) => sql`${COLUMN_TYPES[type].toJson(sql`t.${column}`)} AS ${column}`,
  );
  if (keys.some(name => systemColumn(shape.columns, name))) values.push(sql`t.created_by`);
  return sql`(SELECT row_to_json(k)::text FROM (SELECT ${joined(values)}) k)`;
}

function chosenColumns(shape: CollectionShape, names: readonly string[]) {
  return columnsOf(shape).filter(({ name }) => names.includes(name));
}

/** Values that free the unique values of locked records until the batch has written their final ones. */
export interface Vacating {
  /** The declared column that gets other values. */
  readonly column: string;
  /** Ids, and text that is a value of the column or null. */
  readonly values: readonly { readonly _id: string; readonly v: string | null }[];
}

/** Gives records temporary values in one column. A number below zero tells the triggers to store no version of these. */
export function vacateStatement(shape: CollectionShape, { column, values }: Vacating): Sql {
  const definition = declaredColumn(shape.columns, column);
  if (definition === undefined) throw new Error(`there is no column ${column}`);
  const type = typeName(COLUMN_TYPES[definition.type].castType);
  const marked = shape.historySince ? sql`, version = -abs(t.version)` : NOTHING;
  return sql`UPDATE ${tableOf(shape)} t SET ${columnOf(shape, column)} = r.v${marked}
    FROM jsonb_to_recordset(${param(JSON.stringify(values), 'jsonb')}) AS r(_id uuid, v ${type}) WHERE t._id = r._id`;
}

/** Removes the changes that this transaction has recorded so far, so that followers do not see temporary values. */
export function forgetOwnChangesStatement({ id, orgId }: CollectionShape): Sql {
  return sql`DELETE FROM ${changesTable(orgId)} c WHERE c.collection_id = ${param(id, 'uuid')}
    AND c.xid >= pg_current_xact_id()::text::bigint AND c.xmin = pg_current_xact_id()::xid`;
}

/** A temporary value for a column of a type, as text; undefined for a type with too few values. */
export function temporaryValue(type: ColumnTypeName, unique: string): string | undefined {
  return TEMPORARY[type]?.(unique);
}

/** Values outside of what clients can send, where the type has such values. `unique` is a uuid. */
const TEMPORARY: Readonly<Record<ColumnTypeName, ((unique: string) => string) | undefined>> = {
  text: unique => `temporary ${unique}`,
  integer: unique => String(-(2n ** 62n) - (bitsOf(unique) >> 2n)),
  double: unique => `-1.${String(bitsOf(unique) % 10n ** 15n).padStart(15, '0')}e300`,
  boolean: undefined,
  date: unique => `${100_000n + (bitsOf(unique) % 5_000_000n)}-01-${dayOf(unique)}`,
  datetime: unique =>
    `${20_000n + (bitsOf(unique) % 200_000n)}-01-${dayOf(unique)} 00:00:00.${microseconds(unique)}Z`,
  json: unique => JSON.stringify(unique),
  array: unique => JSON.stringify([unique]),
};

function bitsOf(unique: string): bigint {
  return BigInt(`0x${unique.replaceAll('-', '').slice(-15)}`);
}

function dayOf(unique: string): string {
  return String(1n + ((bitsOf(unique) >> 24n) % 28n)).padStart(2, '0');
}

function microseconds(unique: string): string {
  return String((bitsOf(unique) >> 30n) % 1_000_000n).padStart(6, '0');
}

/** Changes of locked records: a JSON array of objects with `_id`, and as `d` an object with the columns to set. */
export interface BatchUpdates {
  /** Each row also has the columns by their physical names, flexible fields to set as `x` and to remove as `u`. */
  readonly json: string;
  /** Declared columns that any row sets. */
  readonly columns: readonly string[];
  /** True when any row changes flexible fields. */
  readonly flexible: boolean;
  /** True when no record can become larger than 16 MiB. */
  readonly measured: boolean;
}

/** What a batch writes. Parts that are undefined or empty are left out of the statement. */
export interface BatchWrite {
  readonly author: string | null;
  readonly deleted: readonly string[];
  readonly updates: BatchUpdates | undefined;
  readonly inserted: NewRows | undefined;
  /** Capacity for the records that are inserted beyond those that are deleted; `records` may be 0. */
  readonly quota: Quota;
  /** Records that are deleted beyond those that are inserted: their capacity is given back. */
  readonly returned: number;
}

/**
 * Deletes, updates and inserts the records of a batch, in this order, so that a value of a unique constraint that one
 * record gives up is free for another. The caller has locked the records. A record that already has all values is not
 * written. One row: the count of version checks, and a JSON object of the written records' ids and entity tags. Fails
 * with QF001 when other writers have just taken the capacity, and refuses sizes as `changeStatement` does.
 */
export function batchStatement(shape: CollectionShape, write: BatchWrite): Statement {
  const { deleted, updates, inserted, quota, returned } = write;
  const author = param(write.author, 'uuid');
  const current =
    inserted === undefined ? alone(shape) : currentWithCapacity(shape, { holds: holds(shape, quota) });
  const ctes: [Cte, ...Cte[]] = [current];
  const written: Cte[] = [];
  if (deleted.length > 0) {
    const ids = param(deleted, 'uuid[]');
    const gone = sql`DELETE FROM ${tableOf(shape)} t USING ${current} WHERE t._id = ANY(${ids}) RETURNING t._id`;
    ctes.push(new Cte('deleted', gone));
  }
  if (updates !== undefined) {
    const updated = new Cte('updated', updateSql(shape, updates, { author, current, isNext: after(ctes) }));
    ctes.push(updated);
    written.push(updated);
  }
  if (inserted !== undefined) {
    const added = new Cte('inserted', insertSql(shape, inserted, { author, current, isNext: after(ctes) }));
    ctes.push(added);
    written.push(added);
  }
  if (returned > 0) ctes.push(new Cte('returned', returnStatement(shape, returned)));
  const taken = quota.generation === undefined && quota.records > 0 && inserted !== undefined;
  const capacity = new Cte('taken', takeStatement(shape, taken ? quota.records : 0, taken ? quota.most : 0), {
    materialized: true,
  });
  if (taken) ctes.push(capacity);
  const all = written.map(cte => sql`SELECT _id, updated_at, xmin FROM ${cte}`);
  const tags = sql`(SELECT json_object_agg(t._id, ${recordTag(shape)})::text FROM (${joined(all, ' UNION ALL ')}) t)`;
  return {
    ctes,
    query: sql`SELECT count(*)::int, ${all.length === 0 ? sql`NULL::text` : tags}${taken ? sql`, (SELECT count(*) FROM ${capacity})::int` : sql``} FROM ${current}`,
  };
}

function alone(shape: CollectionShape): Cte {
  return new Cte('version_check', ruledCheck(shape), { materialized: true });
}

function holds(shape: CollectionShape, quota: Quota): Sql {
  if (quota.generation !== undefined) return quotaParts(shape, quota).holds;
  return hasCapacity(shape, param(quota.records, 'bigint'), param(quota.most, 'bigint'));
}

/** SQL that is true, and known only when all statements of these CTEs have ended. */
function after(ctes: readonly Cte[]): Sql {
  const ended = ctes.slice(1).map(cte => sql`(SELECT count(*) FROM ${cte}) >= 0`);
  return ended.length === 0 ? sql`true` : joined(ended, ' AND ');
}

/**
 * The columns from which the query computes the entity tags. Citus refuses the functions of time of a tag in `RETURNING`.
 */
const TAGGED = sql`t._id, t.updated_at, t.xmin::text AS xmin`;

/** The author, the version check, and SQL that is true when the statements before have ended. */
interface Turn {
  readonly author: Sql;
  readonly current: Cte;
  readonly isNext: Sql;
}

function updateSql(shape: CollectionShape, updates: BatchUpdates, { author, current, isNext }: Turn): Sql {
  const chosen = chosenColumns(shape, updates.columns);
  const typed = chosen.map(
    ({ column, definition: { type } }) => sql`, ${column} ${typeName(COLUMN_TYPES[type].castType)}`,
  );
  const values = new Map(
    chosen.map(({ name, physical, column }) => [
      name,
      sql`CASE WHEN r.d ? ${param(physical, 'text')} THEN r.${column} ELSE t.${column} END`,
    ]),
  );
  const assignments = chosen.map(({ name, column }) => ({ target: column, value: values.get(name) as Sql }));
  const x = updates.flexible ? sql`(t.x - coalesce(r.u, '{}')) || coalesce(r.x, '{}')` : sql`t.x`;
  if (!updates.measured) {
    const record = {
      flexible: x,
      column: ({ name, column }: TableColumn) => values.get(name) ?? sql`t.${column}`,
    };
    assignments.push({
      target: sql`x`,
      value: flexibleIf(sql`NOT ${mayBeOversize(shape, record)}`, x),
    });
  } else if (updates.flexible) assignments.push({ target: sql`x`, value: x });
  const assigned = assignments.map(({ target, value }) => sql`, ${target} = ${value}`);
  const differs = assignments.map(({ target, value }) => sql`t.${target} IS DISTINCT FROM ${value}`);
  return sql`
    UPDATE ${tableOf(shape)} t SET ${writeMarks(shape, author)}${joined(assigned, '')}
    FROM ${current}, jsonb_to_recordset(${param(updates.json, 'jsonb')}) AS r(_id uuid, d jsonb, u text[], x jsonb${joined(typed, '')})
    WHERE t._id = r._id AND (${joined(differs, ' OR ')}) AND ${isNext}
    RETURNING ${TAGGED}`;
}

function insertSql(shape: CollectionShape, rows: NewRows, { author, current, isNext }: Turn): Sql {
  const { names, ofRow } = columnLists(shape);
  return sql`
    INSERT INTO ${tableOf(shape)} AS t (_id, created_at, updated_at, expires_at, created_by, updated_by, x${names})
    SELECT r._id, n.at, n.at, ${param(rows.expiresAt, 'timestamptz')}, ${author}, ${author}, coalesce(r.x, '{}')${ofRow}
    FROM ${current}, (SELECT ${NOW} AS at) n, ${rowSource(shape, rows.json)} WHERE ${isNext}
    RETURNING ${TAGGED}`;
}
