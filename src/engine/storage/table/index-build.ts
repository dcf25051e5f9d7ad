import { joined, literal, param, render, type Sql, sql } from '../../../base/sql/index.js';
import { orgTable } from '../../../platform/database/org-schema.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import { COLUMN_TYPES } from '../../columns/index.js';
import { ALIVE, type CollectionShape, type IndexDefinition, type IndexSet } from '../collection-shape.js';
import { columnsOf, tableOf } from '../table-sql.js';
import { indexStatements } from './index-ddl.js';
import { indexNamed, namesPaths } from './index-names.js';

/** Values that several unexpired records share although a unique constraint forbids it. */
export interface Duplicate {
  readonly properties: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
  readonly count: number;
  /** The first of the records. */
  readonly ids: readonly string[];
}

/** Values of a record that are too long for an index on them. */
export interface LongValues {
  readonly _id: string;
  readonly properties: readonly string[];
  /** Their bytes as they are stored, compressed. */
  readonly bytes: number;
}

interface PhysicalIndex {
  readonly name: string;
  readonly valid: boolean;
  /** The definition of an index on paths, as JSON. */
  readonly comment: string | null;
}

const MAX_DUPLICATES = 10;
const MAX_IDS = 5;
const MAX_LONG = 10;
/** PostgreSQL refuses an entry of more than 2,704 bytes. An entry also has its own header, and the id of the record. */
const LONG_BYTES = literal(2_640);

/**
 * Builds the indexes of a set that are missing, and rebuilds half-built ones, without blocking readers and writers. The
 * connection must not be in a transaction or have a statement timeout. When a build fails, the new indexes are dropped,
 * and the promise rejects with the database's error.
 */
export async function buildIndexes(
  connection: Queryable,
  shape: CollectionShape,
  set: IndexSet,
): Promise<void> {
  const found = await physicalIndexes(connection, shape);
  const whole = new Set(found.filter(({ valid }) => valid).map(({ name }) => name));
  const missing = [...indexStatements(shape, set, true)].filter(([name]) => !whole.has(name));
  const started: string[] = [];
  try {
    for (const [name, statements] of missing) {
      started.push(name);
      if (found.some(index => index.name === name)) await dropIndex(connection, shape, name);
      for (const statement of statements) await execute(connection, statement);
    }
    // The planner needs statistics of the newly indexed columns.
    if (missing.length > 0) await execute(connection, sql`ANALYZE ${tableOf(shape)}`);
  } catch (error) {
    for (const name of started) await dropIndex(connection, shape, name);
    throw error;
  }
}

/** Drops every index of the table that is not in the set, half-built ones too, without blocking readers and writers. */
export async function dropOtherIndexes(
  connection: Queryable,
  shape: CollectionShape,
  set: IndexSet,
): Promise<void> {
  const wanted = indexStatements(shape, set, true);
  for (const { name } of await physicalIndexes(connection, shape)) {
    if (!wanted.has(name)) await dropIndex(connection, shape, name);
  }
}

/** The complete indexes that the table really has, independent of the collection's metadata. */
export async function wholeIndexes(connection: Queryable, shape: CollectionShape): Promise<IndexSet> {
  const whole = (await physicalIndexes(connection, shape)).filter(({ valid }) => valid);
  const named = (kind: string) =>
    whole
      .filter(({ name }) => name.startsWith(kind))
      .flatMap(({ name, comment }): IndexDefinition[] => {
        const known = indexNamed(shape, name);
        if (known !== undefined) return [known];
        return comment !== null && namesPaths(name) ? [JSON.parse(comment)] : [];
      });
  return { indexes: [...named('i_'), ...named('f_')], uniques: named('u_') };
}

/** The first values that violate one of the unique constraints. Nulls count as different. Only reads. */
export async function duplicates(
  connection: Queryable,
  shape: CollectionShape,
  uniques: readonly IndexDefinition[],
): Promise<Duplicate[]> {
  const found: Duplicate[] = [];
  for (const { properties } of uniques) {
    const columns = columnsOf(shape).filter(({ name }) => properties.includes(name));
    const keys = columns.map(({ column }) => sql`t.${column}`);
    const values = columns.map(
      ({ name, definition: { type } }, at) =>
        sql`${literal(name)}, ${COLUMN_TYPES[type].toJson(keys[at] as Sql)}`,
    );
    const given = keys.map(key => sql`${key} IS NOT NULL`);
    const rows: Omit<Duplicate, 'properties'>[] = await execute(
      connection,
      sql`
      SELECT jsonb_build_object(${joined(values)}) AS values, count(*)::float8 AS count,
             (array_agg(t._id ORDER BY t._id))[1:${literal(MAX_IDS)}] AS ids
      FROM ${tableOf(shape)} t WHERE ${ALIVE} AND ${joined(given, ' AND ')}
      GROUP BY ${joined(keys)} HAVING count(*) > 1 LIMIT ${literal(MAX_DUPLICATES - found.length)}`,
    );
    found.push(...rows.map(row => ({ properties, ...row })));
    if (found.length >= MAX_DUPLICATES) break;
  }
  return found;
}

/** The records whose values are longest of those that are too long for an index of the set. Only reads. */
export async function longValues(
  connection: Queryable,
  shape: CollectionShape,
  { indexes, uniques }: IndexSet,
): Promise<LongValues[]> {
  const found: LongValues[] = [];
  for (const { properties } of [...indexes.filter(({ kind }) => kind === undefined), ...uniques]) {
    const sizes = columnsOf(shape)
      .filter(({ name, definition: { type } }) => type === 'text' && properties.includes(name))
      .map(({ column }) => sql`coalesce(pg_column_size(t.${column}), 0)`);
    if (sizes.length === 0) continue;
    const bytes = joined(sizes, ' + ');
    const rows: Omit<LongValues, 'properties'>[] = await execute(
      connection,
      sql`SELECT t._id, ${bytes} AS bytes FROM ${tableOf(shape)} t WHERE ${ALIVE} AND ${bytes} > ${LONG_BYTES}
        ORDER BY 2 DESC, 1 LIMIT ${literal(MAX_LONG - found.length)}`,
    );
    found.push(...rows.map(({ _id, bytes }) => ({ _id, properties, bytes })));
    if (found.length >= MAX_LONG) break;
  }
  return found;
}

/**
 * The indexes that clients asked for, in the order of their creation: without the primary key and the index for expiry.
 */
function physicalIndexes(connection: Queryable, shape: CollectionShape): Promise<PhysicalIndex[]> {
  const table = param(render(tableOf(shape)).text, 'text');
  return execute(
    connection,
    sql`SELECT c.relname AS name, i.indisvalid AS valid, obj_description(c.oid, 'pg_class') AS comment FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid = to_regclass(${table}) AND c.relname ~ '^[ifuos]_' ORDER BY c.oid`,
  );
}

function dropIndex(connection: Queryable, shape: CollectionShape, name: string): Promise<unknown> {
  return execute(connection, sql`DROP INDEX CONCURRENTLY IF EXISTS ${orgTable(shape.orgId, name)}`);
}
