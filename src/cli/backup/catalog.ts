import { ORG_SCHEMA, orgSchemaOf, USERS_TABLE } from '../../platform/database/org-schema.js';
import type { Queryable } from '../../platform/database/queryable.js';

export interface CatalogTable {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
}

/**
 * Tables without a backup: the list of migrations, which the header has, and what they write; rate limit counters of the last minute; and
 * change feeds and their notes, whose positions are transaction ids and mean nothing in another cluster
 * (docs/decisions/0009-change-feed.md).
 */
const LEFT_OUT = [
  'migrations',
  'service_versions',
  'rate_limits',
  'record_feeds',
  'record_changes',
  'change_notes',
];

/** SQL that is true for the name of a schema to back up. That of a deleted organization may still be there. */
const isBackedUp = (name: string) => `(${name} = 'public' OR (${name} ~ '${ORG_SCHEMA}' AND NOT EXISTS (
  SELECT FROM public.orgs o WHERE o.deleted_at IS NOT NULL AND ${orgSchemaOf('o.id')} = ${name})))`;

const TABLES = `
  SELECT c.oid::int8::float8 AS oid, n.nspname AS schema, c.relname AS name
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND ${isBackedUp('n.nspname')} AND c.relname <> ALL($1)
  ORDER BY n.nspname <> 'public', n.nspname, c.relname`;

const REFERENCES = `
  SELECT DISTINCT conrelid::int8::float8 AS "from", confrelid::int8::float8 AS "to" FROM pg_constraint
  WHERE contype = 'f' AND conrelid <> confrelid`;

/** All tables to back up. A table comes after the tables that its foreign keys reference. */
export async function tablesOf(database: Queryable): Promise<CatalogTable[]> {
  const tables: CatalogTable[] = await database.query(TABLES, [LEFT_OUT]);
  const edges: { from: number; to: number }[] = await database.query(REFERENCES);
  const needs = new Map<number, number[]>();
  for (const { from, to } of edges) needs.set(from, [...(needs.get(from) ?? []), to]);
  const byOid = new Map(tables.map(table => [table.oid, table]));
  const ordered = new Set<CatalogTable>();
  const place = (table: CatalogTable) => {
    for (const oid of needs.get(table.oid) ?? []) {
      const needed = byOid.get(oid);
      if (needed !== undefined && !ordered.has(needed)) place(needed);
    }
    ordered.add(table);
  };
  for (const table of tables) place(table);
  return [...ordered];
}

interface Attribute {
  readonly name: string;
  readonly type: string;
  readonly collation: string | null;
  readonly expression: string | null;
  readonly required: boolean;
  /** Name of its NOT NULL constraint, which PostgreSQL has since version 18. */
  readonly constraint: string | null;
}

const ATTRIBUTES = `
  SELECT quote_ident(a.attname) AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required,
    CASE WHEN a.attcollation <> t.typcollation THEN a.attcollation::regcollation::text END AS collation,
    pg_get_expr(d.adbin, d.adrelid) AS expression,
    (SELECT quote_ident(n.conname) FROM pg_constraint n
     WHERE n.conrelid = a.attrelid AND n.contype = 'n' AND n.conkey = ARRAY[a.attnum]) AS "constraint"
  FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum`;

/** Leaves out indexes that are still being built: the job that finishes index builds makes them again. */
const FINISHING = `
  SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS text
  FROM pg_constraint WHERE conrelid = $1 AND contype IN ('p', 'u', 'c')
  UNION ALL
  SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i
  WHERE i.indrelid = $1 AND i.indisvalid AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid)`;

/**
 * The triggers that keep the history of a collection, also of one in the trash. Those of change feeds begin again with
 * the feed.
 */
const KEEPING = `
  SELECT text FROM (
    SELECT 1 AS step, pg_get_functiondef(p.oid) AS text FROM pg_proc p
    WHERE p.oid IN (SELECT tgfoid FROM pg_trigger WHERE tgrelid = $1 AND tgname LIKE 'keep\\_%')
    UNION ALL
    SELECT 2, pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = $1 AND tgname LIKE 'keep\\_%') made
  ORDER BY step, text`;

/** The names of the columns and, for a table of records, the statements that create it. */
export interface TableDefinition {
  readonly columns: readonly string[];
  readonly create?: string;
  readonly finish?: readonly string[];
}

export async function definitionOf(database: Queryable, table: CatalogTable): Promise<TableDefinition> {
  const attributes: Attribute[] = await database.query(ATTRIBUTES, [table.oid]);
  const columns = attributes.map(({ name }) => name);
  if (!USERS_TABLE.test(table.name)) return { columns };
  const parts = attributes.map(
    ({ name, type, collation, expression, required, constraint }) =>
      `${name} ${type}${collation === null ? '' : ` COLLATE ${collation}`}${expression === null ? '' : ` DEFAULT ${expression}`}${constraint === null ? '' : ` CONSTRAINT ${constraint}`}${required ? ' NOT NULL' : ''}`,
  );
  const finish: { text: string }[] = [
    ...(await database.query(FINISHING, [table.oid])),
    ...(await database.query(KEEPING, [table.oid])),
  ];
  return {
    columns,
    create: `CREATE TABLE ${qualified(table)} (${parts.join(', ')})`,
    finish: finish.map(({ text }) => text),
  };
}

/** The sequences of the tables to back up, with their values. */
export function sequencesOf(
  database: Queryable,
): Promise<{ schema: string; name: string; value: string | null }[]> {
  return database.query(
    // The view pg_sequences would also open those of a deleted organization, which may be dropped meanwhile.
    `WITH backed_up AS MATERIALIZED (
       SELECT s.oid, n.nspname AS schema, s.relname AS name
       FROM pg_class s JOIN pg_namespace n ON n.oid = s.relnamespace
       JOIN pg_depend d ON d.objid = s.oid AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
       JOIN pg_class c ON c.oid = d.refobjid AND d.refclassid = 'pg_class'::regclass
       WHERE s.relkind = 'S' AND ${isBackedUp('n.nspname')} AND c.relname <> ALL($1))
     SELECT schema, name, pg_sequence_last_value(oid)::text AS value FROM backed_up`,
    [LEFT_OUT],
  );
}

/** Needs no quotes: the service generates these names from lower case letters, digits and `_`. */
export function qualified({ schema, name }: Pick<CatalogTable, 'schema' | 'name'>): string {
  return `${schema}.${name}`;
}
