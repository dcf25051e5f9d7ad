import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { COLUMN_TYPES } from '../../columns/index.js';
import { orgTable } from '../../database/org-schema.js';
import { execute, type Queryable } from '../../database/queryable.js';
import { foldedCase } from '../../filter/index.js';
import { sqlState } from '../../kernel/sql-state.js';
import { identifier, joined, NOTHING, param, type Sql, sql } from '../../sql/index.js';
import { endFeed } from '../changes/change-feed.js';
import {
  type CollectionShape,
  type ColumnDefinition,
  columnOf,
  columnsOf,
  declaredColumn,
  type IndexDefinition,
  tableOf,
} from '../collection-shape.js';

/**
 * Creates a collection's table with its indexes in the caller's transaction. It has typed columns for the declared
 * schema and `x` for the flexible fields. System columns come first, because every record has them.
 */
export async function createTable(
  transaction: Queryable,
  shape: CollectionShape,
  indexes: readonly IndexDefinition[],
  uniques: readonly IndexDefinition[],
): Promise<void> {
  const columns = columnsOf(shape).map(
    ({ column, definition: { type, nullable } }) =>
      sql`, ${column} ${COLUMN_TYPES[type].sqlType}${nullable ? NOTHING : sql` NOT NULL`}`,
  );
  const table = sql`
    CREATE TABLE ${tableOf(shape)} (
      _id uuid PRIMARY KEY,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      expires_at timestamptz,
      x jsonb NOT NULL DEFAULT '{}'${joined(columns, '')}
    )`;
  await execute(transaction, table);
  const quotas = orgTable(shape.orgId, 'record_quotas');
  await execute(transaction, sql`INSERT INTO ${quotas} (collection_id) VALUES (${param(shape.id, 'uuid')})`);
  const expiry = identifier(`e_${shape.id.replaceAll('-', '')}`);
  await execute(
    transaction,
    sql`CREATE INDEX ${expiry} ON ${tableOf(shape)} (expires_at) WHERE expires_at IS NOT NULL`,
  );
  for (const index of indexes) await execute(transaction, indexDdl(shape, index, false));
  for (const unique of uniques) await execute(transaction, indexDdl(shape, unique, true));
}

/**
 * Drops the table with all its records in the caller's transaction; followers get no more changes. The table is dropped
 * before the quota, because inserts also lock the table first.
 */
export async function dropTable(transaction: Queryable, shape: CollectionShape): Promise<void> {
  await execute(transaction, sql`DROP TABLE IF EXISTS ${tableOf(shape)}`);
  await removeMoving(transaction, shape);
  await dropQuota(transaction, shape);
  await endFeed(transaction, shape);
}

/** Deletes the counters of the records of a collection. */
export async function dropQuota(transaction: Queryable, shape: Table): Promise<void> {
  for (const each of ['record_quotas', 'quota_leases', 'quota_returns']) {
    const table = orgTable(shape.orgId, each);
    await execute(transaction, sql`DELETE FROM ${table} WHERE collection_id = ${param(shape.id, 'uuid')}`);
  }
}

type Table = Pick<CollectionShape, 'id' | 'orgId'>;

/** The function of the trigger that fills new columns while the schema changes. */
export function moveFunction({ id, orgId }: Table): Sql {
  return orgTable(orgId, `move_${id.replaceAll('-', '').toLowerCase()}`);
}

/** Removes that function and its trigger, if they are there. */
export function removeMoving(transaction: Queryable, table: Table): Promise<void> {
  return execute(transaction, sql`DROP FUNCTION IF EXISTS ${moveFunction(table)}() CASCADE`);
}

/** Names of indexes contain the kind, the collection, and the numbers of the columns that the index covers. */
const INDEX_NAME = /^[isu]_[0-9a-z]{12}_((?:[0-9a-f]{3}){1,16})$/;

/**
 * Name of the index of a definition; equal definitions have equal names. It contains the columns' numbers, three hex
 * digits each (a table has at most 1,600 columns), so that 16 of them fit into PostgreSQL's 63 bytes.
 */
export function indexName(shape: CollectionShape, index: IndexDefinition, unique: boolean): string {
  const digest = createHash('sha256').update(shape.id).digest('hex');
  const collection = BigInt(`0x${digest}`).toString(36).slice(0, 12);
  const numbers = index.properties.map(name =>
    definitionOf(shape, name).number.toString(16).padStart(3, '0'),
  );
  const kind = unique ? 'u' : index.kind === 'search' ? 's' : 'i';
  return `${kind}_${collection}_${numbers.join('')}`;
}

/**
 * The definition of an index, read from its name; undefined when the name has another form or a covered column is gone.
 */
export function indexNamed(shape: CollectionShape, name: string): IndexDefinition | undefined {
  const numbers = INDEX_NAME.exec(name)?.[1]
    ?.match(/.{3}/g)
    ?.map(digits => Number.parseInt(digits, 16));
  const properties = numbers?.flatMap(number =>
    Object.keys(shape.columns).filter(column => shape.columns[column]?.number === number),
  );
  if (!properties?.length || properties.length !== numbers?.length) return undefined;
  return name.startsWith('s_') ? { properties, kind: 'search' } : { properties };
}

/** On a node of Citus a name ends with its shard number. If that makes it too long, a hash replaces its end. */
const ON_NODE = /^([isu]_[0-9a-z]{12}_[0-9a-f]+)(_[0-9a-f]{8})?_\d+$/;

/** The name that an index has on a single server. A hash in place of its end stays. */
export function nameWithoutShard(given: string): string {
  return ON_NODE.exec(given)?.[1] ?? given;
}

/** The unique constraint whose index PostgreSQL names in an error, even one that is about to be dropped. */
export function uniqueNamed(
  shape: CollectionShape,
  uniques: readonly IndexDefinition[],
  given: string,
): IndexDefinition | undefined {
  const [, beginning, hash] = ON_NODE.exec(given) ?? [];
  const name = beginning ?? given;
  const isMeant = (known: string) => (hash === undefined ? known === name : known.startsWith(name));
  return uniques.find(unique => isMeant(indexName(shape, unique, true))) ?? indexNamed(shape, name);
}

/**
 * SQL that creates an index. Nulls first ascending is MongoDB's order; `_id` at the end lets the index serve pages in
 * both directions. A single document column gets a GIN index, which serves searches inside documents. A search index has
 * the trigrams of the texts.
 */
export function indexDdl(
  shape: CollectionShape,
  index: IndexDefinition,
  unique: boolean,
  concurrently = false,
): Sql {
  const columns = index.properties.map(property => columnOf(shape, property));
  const how = concurrently ? sql`CONCURRENTLY ` : NOTHING;
  const name = identifier(indexName(shape, index, unique));
  const head = sql`CREATE ${unique ? sql`UNIQUE ` : NOTHING}INDEX ${how}${name} ON ${tableOf(shape)}`;
  if (index.kind === 'search') {
    const folded = columns.map(column => sql`(${foldedCase(column)}) ${TRIGRAMS}`);
    return sql`${head} USING gin (${joined(folded)})`;
  }
  const [first, ...others] = index.properties;
  if (
    !unique &&
    first !== undefined &&
    others.length === 0 &&
    COLUMN_TYPES[definitionOf(shape, first).type].family === 'document'
  ) {
    // Must be the same expression that filters use.
    return sql`${head} USING gin ((coalesce(${columnOf(shape, first)}, 'null'::jsonb)) jsonb_path_ops)`;
  }
  const keys = columns.map(column => sql`${column} NULLS FIRST`);
  return sql`${head} (${joined([...keys, ...(unique ? [] : [sql`_id`])])})`;
}

/** The operator class of search indexes. It belongs to the extension pg_trgm, which a migration creates. */
const TRIGRAMS = sql`public.gin_trgm_ops`;

/** True when this database can build search indexes. */
export async function hasTrigrams(connection: Queryable): Promise<boolean> {
  const rows = await execute(
    connection,
    sql`SELECT FROM pg_opclass WHERE opcname = 'gin_trgm_ops' AND opcnamespace = 'public'::regnamespace`,
  );
  return rows.length > 0;
}

function definitionOf(shape: CollectionShape, name: string): ColumnDefinition {
  const definition = declaredColumn(shape.columns, name);
  if (definition === undefined) throw new Error(`there is no column ${name}`);
  return definition;
}

/**
 * Options of the transaction of each attempt. While an attempt waits for a table lock, all later statements on the
 * table wait behind it. The timeout is shorter than PostgreSQL's `deadlock_timeout` of 1 s: in a deadlock, the
 * transaction that has waited longest is ended first, and that must not be a reader.
 */
export const TABLE_LOCKS = { lockTimeoutMs: 500 };
const PAUSES_MS = [100, 250, 500, 1_000, 2_000, 2_000, 2_000];

/**
 * Retries work that locks whole tables, such as their removal, after lock conflicts, for example with readers, or with
 * index builds that wait for older transactions. A failed attempt releases its locks, so that the others can finish.
 */
export async function retryLockConflicts<T>(attempt: () => Promise<T>): Promise<T> {
  for (const wait of PAUSES_MS) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLockConflict(error)) throw error;
    }
    await pause(wait);
  }
  return attempt();
}

/** A lock timeout, a deadlock, or catalog rows that a concurrent index build has just changed (XX000). */
function isLockConflict(error: unknown): boolean {
  const state = sqlState(error);
  const byCatalog = state === 'XX000' && /tuple concurrently/.test((error as Error).message);
  return state === '55P03' || state === '40P01' || byCatalog;
}
