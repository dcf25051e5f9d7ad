import { identifier, joined, literal, type Sql, sql } from '../../../base/sql/index.js';
import { orgTable } from '../../../platform/database/org-schema.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import { COLUMN_TYPES, converted } from '../../columns/index.js';
import { forgetChanges, isFollowed, keepChanges } from '../changes/change-feed.js';
import {
  ALIVE,
  type CollectionShape,
  type ColumnDefinition,
  declaredColumn,
  type IndexDefinition,
  type IndexSet,
  physicalColumn,
} from '../collection-shape.js';
import { extendVersions } from '../history/history-table.js';
import { forgetVersions, keepVersions } from '../history/versions.js';
import { returnStatement } from '../quota/quota.js';
import type { MovedValues, TableAccess } from '../table-access.js';
import { columnsOf, tableOf } from '../table-sql.js';
import { createIndexes, indexStatements } from './index-ddl.js';
import { indexName } from './index-names.js';

/** A value that does not fit the changed schema. */
export interface Offender {
  readonly _id: string;
  readonly column: string;
  readonly problem: 'misfit' | 'missing';
}

/** A column that a schema change affects. */
export interface TouchedColumn {
  readonly name: string;
  readonly before: ColumnDefinition | undefined;
  readonly after: ColumnDefinition;
  /** The column of `after`. */
  readonly into: Sql;
  /** True when its values move into another physical column. */
  readonly moves: boolean;
  /** SQL of the present value; NULL for null and absent. */
  readonly source: Sql;
  /** SQL of the future value; NULL also for a value that does not fit. */
  readonly target: Sql;
}

/** Maximum number of records with unsuitable values in one response. */
const MAX_OFFENDERS = literal(10);

/**
 * The first unexpired records whose values do not fit the columns of `after`, oldest first; with `ids`, SQL of a query
 * of ids, only of these records. Only reads.
 */
export async function offenders(
  transaction: Queryable,
  before: CollectionShape,
  after: CollectionShape,
  ids?: Sql,
): Promise<Offender[]> {
  const doubtful = doubtfulColumns(before, after);
  if (doubtful.length === 0) return [];
  const offends = doubtful.map(offending);
  const chosen = ids === undefined ? ALIVE : sql`${ALIVE} AND t._id IN (${ids})`;
  const judged = doubtful.map(
    ({ name, source }, at) =>
      sql`(${literal(name)}, CASE WHEN ${offends[at] as Sql} THEN CASE WHEN ${source} IS NULL THEN 'missing' ELSE 'misfit' END END)`,
  );
  // OFFSET 0 keeps the planner from searching in the order of ids: most often there is no offender at all.
  return execute(
    transaction,
    sql`
    SELECT t._id, o.name AS column, o.problem
    FROM (SELECT * FROM (SELECT * FROM ${tableOf(before)} t WHERE (${joined(offends, ' OR ')}) AND ${chosen} OFFSET 0) t
          ORDER BY t._id LIMIT ${MAX_OFFENDERS}) t
    CROSS JOIN LATERAL (VALUES ${joined(judged)}) AS o(name, problem)
    WHERE o.problem IS NOT NULL ORDER BY t._id LIMIT ${MAX_OFFENDERS}`,
  );
}

/** The columns that a value of a record may not fit. */
export function doubtfulColumns(before: CollectionShape, after: CollectionShape): TouchedColumn[] {
  return touchedColumns(before, after).filter(column => column.moves || !column.after.nullable);
}

/** SQL that is true for a record whose value does not fit the column. */
export function offending({ after: { nullable }, source, target }: TouchedColumn): Sql {
  return nullable ? sql`(${source} IS NOT NULL AND ${target} IS NULL)` : sql`${target} IS NULL`;
}

/** How many unexpired records have values that the change moves into another column. Only reads. */
export async function countMoved(
  transaction: Queryable,
  before: CollectionShape,
  after: CollectionShape,
): Promise<number> {
  const moving = movingColumns(before, after);
  if (moving.length === 0) return 0;
  const [{ count }] = await execute(
    transaction,
    sql`SELECT count(*)::float8 AS count FROM ${tableOf(before)} t WHERE (${holdsAny(moving)}) AND ${ALIVE}`,
  );
  return count;
}

/**
 * Changes the table of `before` into the table of `after`, which has the same columns and perhaps more. A column with a
 * new type has a new number, so a statement made for the old type fails by the column's name and never reads a wrong
 * type. The caller has locked the table, kept maintenance off the table of versions, removed expired records and found no offenders. Followers get no change
 * events: values move between columns, but records read the same.
 */
export async function alterTable(
  tables: TableAccess,
  transaction: Queryable,
  before: CollectionShape,
  after: CollectionShape,
  indexes: readonly IndexDefinition[],
  uniques: readonly IndexDefinition[],
): Promise<void> {
  const followed = await isFollowed(transaction, before);
  if (followed) await forgetChanges(transaction, before);
  if (before.historySince) await forgetVersions(transaction, before);
  const touched = touchedColumns(before, after);
  const moving = touched.filter(({ moves }) => moves);
  if (moving.length > 0) {
    const added = moving.map(
      ({ after: { type }, into }) => sql`ADD COLUMN ${into} ${COLUMN_TYPES[type].sqlType}`,
    );
    await execute(transaction, sql`ALTER TABLE ${tableOf(before)} ${joined(added)}`);
    await tables.moveValues(transaction, moveOf(before, moving));
  }
  const actions = touched.flatMap(constraintActions);
  if (actions.length > 0) await execute(transaction, sql`ALTER TABLE ${tableOf(before)} ${joined(actions)}`);
  await createIndexes(transaction, after, indexesToReplace(before, after, { indexes, uniques }));
  await dropReplaced(transaction, before, after);
  if (followed) await keepChanges(transaction, after);
  if (before.historySince) {
    await extendVersions(transaction, after);
    await keepVersions(transaction, after, await tables.versionsForTriggers(transaction, after));
  }
}

/**
 * Removes a batch of expired records, which could violate NOT NULL and unique constraints, and gives their capacity back.
 * Returns their ids.
 */
export async function removeExpired(transaction: Queryable, shape: CollectionShape): Promise<string[]> {
  const [rows] = await execute(
    transaction,
    sql`
    DELETE FROM ${tableOf(shape)} WHERE _id IN (
      SELECT _id FROM ${tableOf(shape)} WHERE expires_at <= statement_timestamp()
      ORDER BY expires_at LIMIT 5000 FOR UPDATE SKIP LOCKED)
    RETURNING _id`,
  );
  if (rows.length > 0) await execute(transaction, returnStatement(shape, rows.length));
  return rows.map(({ _id }: { _id: string }) => _id);
}

function moveOf(shape: CollectionShape, moving: readonly TouchedColumn[]): MovedValues {
  const flexible = flexibleNames(moving);
  return {
    table: tableOf(shape),
    where: holdsAny(moving),
    assignments: moving.map(({ into, target }) => ({ column: into, value: target })),
    rest: flexible === undefined ? [] : [sql`x = t.x - ${flexible}`],
  };
}

/** SQL that is true for rows that have a value, even null, to move for one of the columns. */
export function holdsAny(moving: readonly TouchedColumn[]): Sql {
  const typed = moving.filter(({ before }) => before).map(({ source }) => sql`${source} IS NOT NULL`);
  const flexible = flexibleNames(moving);
  return joined([...typed, ...(flexible === undefined ? [] : [sql`t.x ?| ${flexible}`])], ' OR ');
}

/** SQL of the names of the columns that take over flexible fields; undefined when there are none. */
function flexibleNames(moving: readonly TouchedColumn[]): Sql | undefined {
  const names = moving.filter(({ before }) => before === undefined).map(({ name }) => literal(name));
  return names.length === 0 ? undefined : sql`ARRAY[${joined(names)}]`;
}

function constraintActions({ before, after, into, moves }: TouchedColumn): Sql[] {
  const wasNullable = moves || before === undefined || before.nullable;
  const drop = moves && before !== undefined ? [sql`DROP COLUMN ${identifier(physicalColumn(before))}`] : [];
  if (wasNullable === after.nullable) return drop;
  return [...drop, sql`ALTER COLUMN ${into} ${after.nullable ? sql`DROP` : sql`SET`} NOT NULL`];
}

/**
 * The indexes that cover other values of the table after the change: of a column with another type, or of a flexible
 * field that becomes a column.
 */
export function indexesToReplace(
  before: CollectionShape,
  after: CollectionShape,
  { indexes, uniques }: IndexSet,
): IndexSet {
  const replaced = (unique: boolean) => (index: IndexDefinition) =>
    indexName(before, index, unique) !== indexName(after, index, unique);
  return { indexes: indexes.filter(replaced(false)), uniques: uniques.filter(replaced(true)) };
}

/** Drops the indexes on flexible fields that became columns. Those on a column with another type go with it. */
export async function dropReplaced(
  transaction: Queryable,
  before: CollectionShape,
  after: CollectionShape,
): Promise<void> {
  const set = { indexes: before.indexes ?? [], uniques: [] };
  const kept = indexStatements(after, set, false);
  for (const name of indexStatements(before, set, false).keys()) {
    if (!kept.has(name))
      await execute(transaction, sql`DROP INDEX IF EXISTS ${orgTable(before.orgId, name)}`);
  }
}

/** The columns whose values move into another physical column. */
export function movingColumns(before: CollectionShape, after: CollectionShape): TouchedColumn[] {
  return touchedColumns(before, after).filter(({ moves }) => moves);
}

/** The columns that differ between the two versions of a collection. */
export function touchedColumns(before: CollectionShape, after: CollectionShape): TouchedColumn[] {
  return columnsOf(after).flatMap(({ name, column, definition }) => {
    const known = declaredColumn(before.columns, name);
    if (known?.number === definition.number && known.nullable === definition.nullable) return [];
    return [{ name, before: known, after: definition, into: column, ...valuesOf(name, known, definition) }];
  });
}

function valuesOf(name: string, before: ColumnDefinition | undefined, after: ColumnDefinition) {
  const type = COLUMN_TYPES[after.type];
  if (before === undefined) {
    const source = sql`nullif(t.x -> ${literal(name)}, 'null'::jsonb)`;
    return { source, target: type.fromJson(source), moves: true };
  }
  const source = sql`t.${identifier(physicalColumn(before))}`;
  if (before.number === after.number) return { source, target: source, moves: false };
  return { source, target: converted(COLUMN_TYPES[before.type], type, source), moves: true };
}
