import {
  identifier,
  joined,
  literal,
  NOTHING,
  param,
  render,
  type Sql,
  sql,
} from '../../../base/sql/index.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import { COLUMN_TYPES } from '../../columns/index.js';
import { describeChanges, isFollowed } from '../changes/change-feed.js';
import { type CollectionShape, physicalColumn } from '../collection-shape.js';
import { dropVersionColumns, extendVersions, ownVersions, versionsTable } from '../history/history-table.js';
import { describeVersions } from '../history/versions.js';
import { lockOutMaintenance, lockTable } from '../table-lock.js';
import { tableOf } from '../table-sql.js';
import { createMovingFunction, dropTriggerFunction, triggerFunction } from '../trigger-function.js';
import {
  doubtfulColumns,
  dropReplaced,
  movingColumns,
  type Offender,
  offenders,
  offending,
  type TouchedColumn,
  touchedColumns,
} from './alter.js';

/*
 * The steps of a schema change that runs while records are read and written. A trigger keeps the new columns up to date
 * from the first step on, so that in the last one both versions of the schema are complete.
 */

/** Bytes of a table with its long values, without its indexes. */
export async function tableBytes(connection: Queryable, shape: CollectionShape): Promise<number> {
  const [{ bytes }] = await execute(
    connection,
    sql`SELECT pg_table_size(to_regclass(${param(render(tableOf(shape)).text, 'text')}))::float8 AS bytes`,
  );
  return bytes ?? 0;
}

/** The number of rows, expired ones included. */
export async function countRows(connection: Queryable, shape: CollectionShape): Promise<number> {
  const [{ rows }] = await execute(connection, sql`SELECT count(*)::float8 AS rows FROM ${tableOf(shape)}`);
  return rows;
}

/**
 * Adds the new columns, empty, and a trigger that fills them in each record that is written from now on. The trigger
 * lists records that do not fit `after` in `schema_change_misfits`. May be repeated.
 */
export async function addColumns(
  transaction: Queryable,
  before: CollectionShape,
  after: CollectionShape,
): Promise<void> {
  const added = movingColumns(before, after).map(
    ({ after: { type }, into }) => sql`ADD COLUMN IF NOT EXISTS ${into} ${COLUMN_TYPES[type].sqlType}`,
  );
  const isChecked = doubtfulColumns(before, after).length > 0;
  if (added.length === 0 && !isChecked) return;
  await lockOutMaintenance(transaction, versionsTable(before));
  await lockTable(transaction, tableOf(before));
  if (added.length > 0) {
    await execute(transaction, sql`ALTER TABLE ${tableOf(before)} ${joined(added)}`);
    await extendVersions(transaction, after);
  }
  if (!isChecked) return;
  await createMovingFunction(transaction, before, moverBody(before, after));
  await execute(
    transaction,
    sql`CREATE OR REPLACE TRIGGER move_values BEFORE INSERT OR UPDATE ON ${tableOf(before)}
      FOR EACH ROW EXECUTE FUNCTION ${triggerFunction(before, 'move')}()`,
  );
  // Makes a function of an earlier version of the service ignore what the change moves.
  if (await isFollowed(transaction, before)) await describeChanges(transaction, before);
}

function moverBody(before: CollectionShape, after: CollectionShape): Sql {
  const moving = movingColumns(before, after);
  // The new columns have their values by then, so that nothing is converted twice.
  const converted = (column: TouchedColumn) =>
    column.moves ? { ...column, target: sql`t.${column.into}` } : column;
  const misfit = joined(doubtfulColumns(before, after).map(converted).map(offending), ' OR ');
  const moved = sql`
      SELECT ${joined(moving.map(({ target }) => target))} INTO ${joined(moving.map(({ into }) => sql`NEW.${into}`))}
      FROM (SELECT NEW.*) t;`;
  return sql`
    DECLARE misfit boolean;
    BEGIN${moving.length > 0 ? moved : NOTHING}
      SELECT ${misfit} INTO misfit FROM (SELECT NEW.*) t;
      IF misfit THEN
        INSERT INTO public.schema_change_misfits (collection_id, record_id) VALUES (${literal(before.id)}, NEW._id)
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NEW;
    END`;
}

/** The columns of `after` that take over flexible fields, of which the records still have a copy. */
export function leftoversOf(before: CollectionShape, after: CollectionShape): string[] {
  return movingColumns(before, after).flatMap(({ name, before: known }) =>
    known === undefined ? [name] : [],
  );
}

/** Forgets the records that were written during an earlier change. */
export async function forgetMisfits(transaction: Queryable, { id }: CollectionShape): Promise<void> {
  await execute(
    transaction,
    sql`DELETE FROM public.schema_change_misfits WHERE collection_id = ${param(id, 'uuid')}`,
  );
}

/** Records that were written during the change and do not fit `after`. Only reads. */
export function writtenOffenders(
  transaction: Queryable,
  before: CollectionShape,
  after: CollectionShape,
): Promise<Offender[]> {
  const id = param(before.id, 'uuid');
  const written = sql`SELECT record_id FROM public.schema_change_misfits WHERE collection_id = ${id}`;
  return offenders(transaction, before, after, written);
}

/**
 * Makes `after` the schema of the table, without reading a record. The caller has locked the collection and the table,
 * and found no offenders. `after` has the leftovers of the change, and the history that the collection keeps now. A column
 * that may not be null is not known to the database as such until `proveNotNull`.
 */
export async function replaceColumns(
  transaction: Queryable,
  before: CollectionShape,
  after: CollectionShape,
): Promise<void> {
  await dropTriggerFunction(transaction, before, 'move');
  const actions = touchedColumns(before, after).flatMap(replacing);
  if (actions.length > 0) await execute(transaction, sql`ALTER TABLE ${tableOf(before)} ${joined(actions)}`);
  await dropReplaced(transaction, before, after);
  // The history may have begun during the change.
  await extendVersions(transaction, after);
  await describeRecords(transaction, after);
}

/** Makes the triggers of the feed and of the history, if there are any, see the records as `shape` says. */
export async function describeRecords(transaction: Queryable, shape: CollectionShape): Promise<void> {
  if (await isFollowed(transaction, shape)) await describeChanges(transaction, shape);
  if (shape.historySince) await describeVersions(transaction, shape, ownVersions(shape));
}

function replacing({ before, after, into, moves }: TouchedColumn): Sql[] {
  const dropped =
    moves && before !== undefined ? [sql`DROP COLUMN ${identifier(physicalColumn(before))}`] : [];
  if (!after.nullable) {
    const constraint = identifier(`${NOT_NULL}${physicalColumn(after)}`);
    return [...dropped, sql`ADD CONSTRAINT ${constraint} CHECK (${into} IS NOT NULL) NOT VALID`];
  }
  return moves ? dropped : [sql`ALTER COLUMN ${into} DROP NOT NULL`];
}

/** Reads all records without keeping writers away. The caller has removed expired records, which need not fit. */
export async function validateNotNull(transaction: Queryable, shape: CollectionShape): Promise<void> {
  for (const constraint of await provisional(transaction, shape)) {
    await execute(
      transaction,
      sql`ALTER TABLE ${tableOf(shape)} VALIDATE CONSTRAINT ${identifier(constraint)}`,
    );
  }
}

/** Makes columns NOT NULL of which `validateNotNull` has proved it, without reading a record. */
export async function proveNotNull(transaction: Queryable, shape: CollectionShape): Promise<void> {
  const constraints = await provisional(transaction, shape);
  if (constraints.length === 0) return;
  const table = tableOf(shape);
  await lockTable(transaction, table);
  const columns = constraints.map(
    constraint => sql`ALTER COLUMN ${identifier(constraint.slice(NOT_NULL.length))} SET NOT NULL`,
  );
  await execute(transaction, sql`ALTER TABLE ${table} ${joined(columns)}`);
  // A statement of its own: PostgreSQL drops constraints first, and would then have to read all records.
  const dropped = constraints.map(constraint => sql`DROP CONSTRAINT ${identifier(constraint)}`);
  await execute(transaction, sql`ALTER TABLE ${table} ${joined(dropped)}`);
}

const NOT_NULL = 'not_null_';

/** The names of the constraints of `replaceColumns` that are still there. */
async function provisional(transaction: Queryable, shape: CollectionShape): Promise<string[]> {
  const table = param(render(tableOf(shape)).text, 'text');
  const found: { name: string }[] = await execute(
    transaction,
    sql`SELECT conname AS name FROM pg_constraint
      WHERE conrelid = to_regclass(${table}) AND starts_with(conname, ${literal(NOT_NULL)}) ORDER BY conname`,
  );
  return found.map(({ name }) => name);
}

/** Takes back `addColumns`. Indexes on the new columns go with them. */
export async function removeColumns(
  transaction: Queryable,
  before: CollectionShape,
  after: CollectionShape,
): Promise<void> {
  await lockOutMaintenance(transaction, versionsTable(before));
  await lockTable(transaction, tableOf(before));
  await dropTriggerFunction(transaction, before, 'move');
  const added = movingColumns(before, after).map(({ into }) => into);
  const dropped = added.map(column => sql`DROP COLUMN IF EXISTS ${column}`);
  if (dropped.length > 0) await execute(transaction, sql`ALTER TABLE ${tableOf(before)} ${joined(dropped)}`);
  await dropVersionColumns(transaction, before, added);
}
