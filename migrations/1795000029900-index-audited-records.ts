import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addIndex } from './steps/online-steps.js';

const INDEXES = {
  audit_events_records: `USING gin (record_ids) WHERE type <> 'collections.records.inserted'`,
  audit_events_requests: 'USING brin (correlation_id) WITH (pages_per_range = 16, autosummarize = on)',
};

/**
 * Finds the audit events of one record and of one request. Inserts, the most frequent writes, are left out of the index on
 * record ids: the time of a record's id says where its insert is. The ids that the service gives to requests grow with
 * time, so the smallest and the largest of 16 pages say where a request is; they cost a write next to nothing. The
 * indexes are built beside running writers, and every step can be repeated.
 */
export class IndexAuditedRecords1795000029900 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION index_org_audit(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'org_' || replace(org_id::text, '-', '');
      BEGIN
        ${Object.entries(INDEXES).map(toExecute).join('\n')}
      END $$;

      DO $$ BEGIN
        IF to_regprocedure('create_org_before_audit_indexes(uuid)') IS NULL THEN
          ALTER FUNCTION create_org_schema(uuid) RENAME TO create_org_before_audit_indexes;
        END IF;
      END $$;
      CREATE OR REPLACE FUNCTION create_org_schema(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM create_org_before_audit_indexes(org_id);
        PERFORM index_org_audit(org_id);
      END $$;
    `);
    for (const org of await orgsOf(runner)) {
      for (const [name, keys] of Object.entries(INDEXES))
        await addIndex(runner, { schema: `org_${org}`, name, table: 'audit_events', keys });
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DO $$ BEGIN
        IF to_regprocedure('create_org_before_audit_indexes(uuid)') IS NOT NULL THEN
          DROP FUNCTION create_org_schema(uuid);
          ALTER FUNCTION create_org_before_audit_indexes(uuid) RENAME TO create_org_schema;
        END IF;
      END $$;
      DROP FUNCTION IF EXISTS index_org_audit;
    `);
    for (const org of await orgsOf(runner)) {
      const name = `"org_${org}"`;
      await runner.query(`DROP INDEX IF EXISTS ${name}.audit_events_records, ${name}.audit_events_requests`);
    }
  }
}

/** The statement in PL/pgSQL. */
function toExecute([name, keys]: [string, string]): string {
  const statement = `CREATE INDEX IF NOT EXISTS ${name} ON %I.audit_events ${keys}`;
  return `EXECUTE format('${statement.replaceAll("'", "''")}', name);`;
}

/** The ids of the organizations, in the form that the names of their schemas have. */
async function orgsOf(runner: QueryRunner): Promise<string[]> {
  const rows: { org: string }[] = await runner.query(
    "SELECT substr(nspname, 5) AS org FROM pg_namespace WHERE nspname ~ '^org_[0-9a-f]{32}$'",
  );
  return rows.map(({ org }) => org);
}
