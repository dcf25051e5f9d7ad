import { identifier, joined, param, render, type Sql, sql } from '../../../base/sql/index.js';
import { historyTable, orgTable } from '../../../platform/database/org-schema.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import { COLUMN_TYPES } from '../../columns/index.js';
import { type CollectionShape, physicalColumn } from '../collection-shape.js';
import { notUnderRules } from '../restricted/refusals.js';
import { columnsOf, type Table, type TableColumn } from '../table-sql.js';

/** The table of the versions of records that updates and deletes replaced. It has the columns of the records. */
export function versionsTable({ id, orgId, seen }: Table & Pick<CollectionShape, 'seen'>): Sql {
  // A restricted caller sees versions only by a statement that applies its rules to them.
  if (seen !== undefined) throw notUnderRules();
  return orgTable(orgId, historyTable(id));
}

/** How triggers on tables of records store versions. */
export interface VersionsTarget {
  /** The name of the table of versions. */
  readonly versions: Sql;
  /** True where a write has the time of another server: a version ends at the `updated_at` of the row that replaces it. */
  readonly endsByRow: boolean;
}

/** The target on the server of the platform's tables. */
export function ownVersions(table: Table): VersionsTarget {
  return { versions: versionsTable(table), endsByRow: false };
}

/** SQL that is true for a version `v` that stands for the time in which the record was deleted. It has no content. */
export function isDeletion(v: Sql): Sql {
  return sql`(${v}.schema IS NULL AND ${isKept(v)})`;
}

/** SQL that is false for the row that stays of a record when all its versions were removed (`pruneStatement`). */
export function isKept(v: Sql): Sql {
  return sql`${v}.valid_to < 'infinity'`;
}

/** The columns that versions have of the records, beside the declared ones. */
const SYSTEM_CONTENT = ['schema', 'created_at', 'expires_at', 'created_by', 'updated_by', 'x'].map(name =>
  identifier(name),
);

/** The columns with the content of a version, those of earlier types included. */
export function contentColumns(shape: CollectionShape): readonly Sql[] {
  const retired = (shape.retiredColumns ?? []).map(column => identifier(physicalColumn(column)));
  return [...SYSTEM_CONTENT, ...columnsOf(shape).map(({ column }) => column), ...retired];
}

/**
 * Creates the table of versions. `schema` is the `schemaNumber` with which the version was stored, or null if the version
 * has no content. The beginning of a version is the `updated_at` of the record.
 */
export async function createVersions(transaction: Queryable, shape: CollectionShape): Promise<void> {
  const table = versionsTable(shape);
  await execute(
    transaction,
    sql`CREATE TABLE ${table} (
      record_id uuid NOT NULL,
      version integer NOT NULL,
      schema integer,
      -- The version that the write which ended this one put back; 0: the time before the record was inserted.
      put_back integer,
      valid_from timestamptz NOT NULL,
      valid_to timestamptz NOT NULL,
      -- The write that ended this version.
      event_id uuid,
      -- True if the event names this record, and no other one.
      own_event boolean NOT NULL DEFAULT false,
      created_at timestamptz,
      expires_at timestamptz,
      created_by uuid,
      updated_by uuid,
      x jsonb${joined(
        columnsOf(shape).map(column => sql`, ${columnAndType(column)}`),
        '',
      )},
      PRIMARY KEY (record_id, version)
    )`,
  );
  const index = (suffix: string) => identifier(`${historyTable(shape.id)}_${suffix}`);
  await execute(transaction, sql`CREATE INDEX ${index('times')} ON ${table} (valid_to, valid_from)`);
  await execute(transaction, sql`CREATE INDEX ${index('event')} ON ${table} (event_id) WHERE NOT own_event`);
}

function columnAndType({ column, definition: { type } }: TableColumn): Sql {
  return sql`${column} ${COLUMN_TYPES[type].sqlType}`;
}

/**
 * Adds the columns that the table of versions, if there is one, lacks. Locks the table only if it lacks one. The caller
 * has locked the table of records, so that no statement that reads both waits behind this one.
 */
export async function extendVersions(transaction: Queryable, shape: CollectionShape): Promise<void> {
  const table = versionsTable(shape);
  const stored: { name: string }[] = await execute(
    transaction,
    sql`SELECT attname AS name FROM pg_attribute
      WHERE attrelid = to_regclass(${param(render(table).text, 'text')}) AND attnum > 0 AND NOT attisdropped`,
  );
  if (stored.length === 0) return;
  const names = new Set(stored.map(({ name }) => name));
  const missing = columnsOf(shape).filter(({ physical }) => !names.has(physical));
  if (missing.length === 0) return;
  const added = missing.map(column => sql`ADD COLUMN ${columnAndType(column)}`);
  await execute(transaction, sql`ALTER TABLE ${table} ${joined(added)}`);
}

/** Takes back `extendVersions` for columns that no record was ever read from. */
export async function dropVersionColumns(
  transaction: Queryable,
  table: Table,
  columns: readonly Sql[],
): Promise<void> {
  if (columns.length === 0) return;
  const dropped = columns.map(column => sql`DROP COLUMN IF EXISTS ${column}`);
  await execute(transaction, sql`ALTER TABLE IF EXISTS ${versionsTable(table)} ${joined(dropped)}`);
}

/** Drops the table with all versions, if it is there. */
export async function dropVersions(transaction: Queryable, table: Table): Promise<void> {
  await execute(transaction, sql`DROP TABLE IF EXISTS ${versionsTable(table)}`);
}
