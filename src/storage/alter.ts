import { COLUMN_TYPES, converted } from '../columns/index.js';
import { isPlaced } from '../database/citus/org-placement.js';
import type { Queryable } from '../database/queryable.js';
import { forgetChanges, isFollowed, keepChanges } from './change-feed.js';
import {
  ALIVE,
  type CollectionShape,
  type ColumnDefinition,
  columnsOf,
  declaredColumn,
  type IndexDefinition,
  physicalColumn,
  tableOf,
} from './collection-shape.js';
import { returnStatement } from './quota.js';
import { indexDdl } from './table.js';

/** A value that the changed schema has no place for. */
export interface Offender {
  readonly _id: string;
  readonly column: string;
  readonly problem: 'misfit' | 'missing';
}

/** One column that the change of a schema touches. Its name is a declared one: letters, digits and `_`. */
interface TouchedColumn {
  readonly name: string;
  readonly before: ColumnDefinition | undefined;
  readonly after: ColumnDefinition;
  /** Its values have to move into another physical column. */
  readonly moves: boolean;
  /** SQL of the value in its present place, NULL for null and absent. */
  readonly source: string;
  /** SQL of the value in its future place, NULL also for a misfit. */
  readonly target: string;
}

/** Offenders told in one answer. */
const MAX_OFFENDERS = 10;

/** The first living records whose values do not fit the columns of `after`, oldest first. Only reads. */
export async function offenders(
  transaction: Queryable,
  before: CollectionShape,
  after: CollectionShape,
): Promise<Offender[]> {
  const doubtful = touchedColumns(before, after).filter(column => column.moves || !column.after.nullable);
  if (doubtful.length === 0) return [];
  const offends = doubtful.map(({ after: { nullable }, source, target }) =>
    nullable ? `(${source} IS NOT NULL AND ${target} IS NULL)` : `${target} IS NULL`,
  );
  const judged = doubtful.map(
    ({ name, source }, at) =>
      `('${name}', CASE WHEN ${offends[at]} THEN CASE WHEN ${source} IS NULL THEN 'missing' ELSE 'misfit' END END)`,
  );
  // OFFSET 0 keeps the planner from looking for the first ones in the order of ids: most often there are none.
  return transaction.query(`
    SELECT t._id, o.name AS column, o.problem
    FROM (SELECT * FROM (SELECT * FROM ${tableOf(before)} t WHERE (${offends.join(' OR ')}) AND ${ALIVE} OFFSET 0) t
          ORDER BY t._id LIMIT ${MAX_OFFENDERS}) t
    CROSS JOIN LATERAL (VALUES ${judged.join(', ')}) AS o(name, problem)
    WHERE o.problem IS NOT NULL ORDER BY t._id LIMIT ${MAX_OFFENDERS}`);
}

/** How many living records hold values that the change moves into another column. Only reads. */
export async function countMoved(
  transaction: Queryable,
  before: CollectionShape,
  after: CollectionShape,
): Promise<number> {
  const moving = touchedColumns(before, after).filter(({ moves }) => moves);
  if (moving.length === 0) return 0;
  const [{ count }] = await transaction.query(
    `SELECT count(*)::float8 AS count FROM ${tableOf(before)} t WHERE (${holdsAny(moving)}) AND ${ALIVE}`,
  );
  return count;
}

/**
 * Makes the table of `before` the table of `after`, which has all its columns and perhaps more. A column that gets another
 * type has another number there: a statement made for the old one fails by name and never reads the wrong type. The
 * caller has locked the table, removed what has expired and found no offenders. Who follows the collection is told nothing:
 * records move to other columns, and say what they said.
 */
export async function alterTable(
  transaction: Queryable,
  before: CollectionShape,
  after: CollectionShape,
  indexes: readonly IndexDefinition[],
  uniques: readonly IndexDefinition[],
): Promise<void> {
  const followed = await isFollowed(transaction, before);
  if (followed) await forgetChanges(transaction, before);
  const touched = touchedColumns(before, after);
  const moving = touched.filter(({ moves }) => moves);
  if (moving.length > 0) {
    const added = moving.map(
      column => `ADD COLUMN ${physicalColumn(column.after)} ${COLUMN_TYPES[column.after.type].sqlType}`,
    );
    await transaction.query(`ALTER TABLE ${tableOf(before)} ${added.join(', ')}`);
    await moveValues(transaction, before, moving);
  }
  const actions = touched.flatMap(constraintActions);
  if (actions.length > 0) await transaction.query(`ALTER TABLE ${tableOf(before)} ${actions.join(', ')}`);
  // An index goes with a column that it covers.
  const retyped = new Set(moving.filter(column => column.before).map(({ name }) => name));
  const lost = ({ properties }: IndexDefinition) => properties.some(name => retyped.has(name));
  for (const index of indexes.filter(lost)) await transaction.query(indexDdl(after, index, false));
  for (const unique of uniques.filter(lost)) await transaction.query(indexDdl(after, unique, true));
  if (followed) await keepChanges(transaction, after);
}

/**
 * Removes a batch of expired records, which are in the way of NOT NULL and of uniques, and gives their room back. Returns
 * their ids.
 */
export async function removeExpired(transaction: Queryable, shape: CollectionShape): Promise<string[]> {
  const [rows] = await transaction.query(`
    DELETE FROM ${tableOf(shape)} WHERE _id IN (
      SELECT _id FROM ${tableOf(shape)} WHERE expires_at <= statement_timestamp()
      ORDER BY expires_at LIMIT 5000 FOR UPDATE SKIP LOCKED)
    RETURNING _id`);
  if (rows.length > 0) {
    const { text, values } = returnStatement(shape, rows.length);
    await transaction.query(text, values);
  }
  return rows.map(({ _id }: { _id: string }) => _id);
}

async function moveValues(
  transaction: Queryable,
  shape: CollectionShape,
  moving: readonly TouchedColumn[],
): Promise<void> {
  const table = tableOf(shape);
  const flexible = flexibleNames(moving);
  const rest = flexible === undefined ? '' : `, x = t.x - ${flexible}`;
  const assigned = (value: (column: TouchedColumn, at: number) => string) =>
    moving.map((column, at) => `${physicalColumn(column.after)} = ${value(column, at)}`).join(', ') + rest;
  if (!(await isPlaced(transaction, shape.orgId))) {
    await transaction.query(
      `UPDATE ${table} t SET ${assigned(({ target }) => target)} WHERE ${holdsAny(moving)}`,
    );
    return;
  }
  // Conversions depend on settings of the session, so Citus takes them in a SELECT only. The table is locked: nothing changes in between.
  const values = moving.map(({ target }, at) => `, ${target} AS v${at}`).join('');
  await transaction.query('SET LOCAL citus.max_intermediate_result_size = -1');
  await transaction.query(
    `CREATE TEMP TABLE moved ON COMMIT DROP AS SELECT t._id${values} FROM ${table} t WHERE ${holdsAny(moving)}`,
  );
  await transaction.query(
    `UPDATE ${table} t SET ${assigned((_, at) => `m.v${at}`)} FROM pg_temp.moved m WHERE t._id = m._id`,
  );
}

/** SQL that is true for rows that hold a value, null too, in a present place of one of the columns. */
function holdsAny(moving: readonly TouchedColumn[]): string {
  const typed = moving.filter(({ before }) => before).map(({ source }) => `${source} IS NOT NULL`);
  const flexible = flexibleNames(moving);
  return [...typed, ...(flexible === undefined ? [] : [`t.x ?| ${flexible}`])].join(' OR ');
}

function flexibleNames(moving: readonly TouchedColumn[]): string | undefined {
  const names = moving.filter(({ before }) => before === undefined).map(({ name }) => `'${name}'`);
  return names.length === 0 ? undefined : `ARRAY[${names.join(', ')}]`;
}

function constraintActions({ before, after, moves }: TouchedColumn): string[] {
  const column = physicalColumn(after);
  const wasNullable = moves || before === undefined || before.nullable;
  const drop = moves && before !== undefined ? [`DROP COLUMN ${physicalColumn(before)}`] : [];
  if (wasNullable === after.nullable) return drop;
  return [...drop, `ALTER COLUMN ${column} ${after.nullable ? 'DROP' : 'SET'} NOT NULL`];
}

function touchedColumns(before: CollectionShape, after: CollectionShape): TouchedColumn[] {
  return columnsOf(after).flatMap(([name, , definition]) => {
    const known = declaredColumn(before.columns, name);
    if (known?.number === definition.number && known.nullable === definition.nullable) return [];
    return [{ name, before: known, after: definition, ...places(name, known, definition) }];
  });
}

function places(name: string, before: ColumnDefinition | undefined, after: ColumnDefinition) {
  const type = COLUMN_TYPES[after.type];
  if (before === undefined) {
    const source = `nullif(t.x -> '${name}', 'null'::jsonb)`;
    return { source, target: type.fromJson(source), moves: true };
  }
  const source = `t.${physicalColumn(before)}`;
  if (before.number === after.number) return { source, target: source, moves: false };
  return { source, target: converted(COLUMN_TYPES[before.type], type, source), moves: true };
}
