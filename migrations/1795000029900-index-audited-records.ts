import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Finds the audit events of one record and of one request. Inserts, the most frequent writes, are left out of the index on
 * record ids: the time of a record's id says where its insert is. The ids that the service gives to requests grow with
 * time, so the smallest and the largest of 16 pages say where a request is; they cost a write next to nothing. The
 * indexes of each organization are built in a transaction of its own, so every step can be repeated.
 */
export class IndexAuditedRecords1795000029900 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION index_org_audit(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'org_' || replace(org_id::text, '-', '');
      BEGIN
        EXECUTE format('CREATE INDEX IF NOT EXISTS audit_events_records ON %I.audit_events USING gin (record_ids)
          WHERE type <> ''collections.records.inserted''', name);
        EXECUTE format('CREATE INDEX IF NOT EXISTS audit_events_requests ON %I.audit_events
          USING brin (correlation_id) WITH (pages_per_range = 16, autosummarize = on)', name);
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
      await runner.query(`SELECT index_org_audit('${org}')`);
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

/** The ids of the organizations, in the form that the names of their schemas have. */
async function orgsOf(runner: QueryRunner): Promise<string[]> {
  const rows: { org: string }[] = await runner.query(
    "SELECT substr(nspname, 5) AS org FROM pg_namespace WHERE nspname ~ '^org_[0-9a-f]{32}$'",
  );
  return rows.map(({ org }) => org);
}
