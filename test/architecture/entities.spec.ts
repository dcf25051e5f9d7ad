import { DataSource, type EntityMetadata } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SnakeCaseNames } from '../../src/platform/database/database.module.js';
import { testDatabaseUrl } from '../harness/database.js';
import { classesOf } from './source-files.js';

/** `type` or `type, null` by column. */
type Columns = Record<string, string>;
type Tables = Record<string, Columns>;

/** Tables that the code accesses with SQL instead of entities, and the table of TypeORM itself. */
const WITHOUT_ENTITY = [
  'ai_usage',
  'audit_chain',
  'audit_checkpoints',
  'audit_events',
  'audit_keys',
  'change_notes',
  'job_runs',
  'job_positions',
  'migrations',
  'org_group_members',
  'org_groups',
  'org_invite_uses',
  'org_removals',
  'rate_limits',
  'schema_change_misfits',
  'service_versions',
  'sso_provider_slugs',
  'webhook_delivery_records',
];

let source: DataSource;

beforeAll(async () => {
  source = new DataSource({
    type: 'postgres',
    url: await testDatabaseUrl(),
    entities: await classesOf('entity'),
    namingStrategy: new SnakeCaseNames(),
  });
  await source.initialize();
});
afterAll(() => source?.destroy());

it('has an entity, or a stated reason for none, for every table that the migrations create', async () => {
  const entities = source.entityMetadatas.map(({ tableName }) => tableName);
  expect([...entities, ...WITHOUT_ENTITY].sort()).toEqual(Object.keys(await migratedTables()).sort());
});

it('gives every entity exactly the columns, types and nullability of its migrated table', async () => {
  const migrated = await migratedTables();
  const declared = Object.fromEntries(
    source.entityMetadatas.map(entity => [entity.tableName, columnsOf(entity)]),
  );
  expect(Object.keys(declared).length).toBeGreaterThan(0);
  for (const [table, columns] of Object.entries(declared))
    expect({ [table]: columns }).toEqual({ [table]: migrated[table] });
});

it('has an index for every foreign key, so that a deletion does not read whole tables', async () => {
  const runner = source.createQueryRunner();
  try {
    await runner.startTransaction();
    await runner.query('SELECT create_org_schema(gen_random_uuid())');
    // A partial index serves if it leaves out only rows without a reference.
    const missing = await runner.query(`
      SELECT c.conrelid::regclass::text AS table, c.conname AS key FROM pg_constraint c
      WHERE c.contype = 'f' AND NOT EXISTS (
        SELECT FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indisvalid
          AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) ~ '^[(]\\w+ IS NOT NULL[)]$')
          AND (string_to_array(i.indkey::text, ' ')::int2[])[1:cardinality(c.conkey)] @> c.conkey)`);
    expect(missing).toEqual([]);
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
});

function columnsOf(entity: EntityMetadata): Columns {
  const driver = source.driver as PostgresDriver;
  return Object.fromEntries(
    entity.columns.map(column => {
      const type = `${driver.normalizeType(column)}${column.isArray ? '[]' : ''}`;
      return [column.databaseName, described(type, column.isNullable)];
    }),
  );
}

async function migratedTables(): Promise<Tables> {
  const rows: { table: string; column: string; type: string; nullable: boolean }[] = await source.query(`
    SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, a.atttypmod) AS type,
           NOT a.attnotnull AS nullable
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped`);
  const tables: Tables = {};
  for (const { table, column, type, nullable } of rows) {
    tables[table] = { ...tables[table], [column]: described(type, nullable) };
  }
  return tables;
}

function described(type: string, nullable: boolean): string {
  return nullable ? `${type}, null` : type;
}
