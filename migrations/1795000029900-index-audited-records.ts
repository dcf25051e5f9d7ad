import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addIndex } from './steps/online-steps.js';
import { extendOrgSchema, orgSchemas, reduceOrgSchema } from './steps/org-schemas.js';

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
    `);
    await extendOrgSchema(runner, 'create_org_before_audit_indexes', 'index_org_audit');
    for (const schema of await orgSchemas(runner)) {
      for (const [name, keys] of Object.entries(INDEXES))
        await addIndex(runner, { schema, name, table: 'audit_events', keys });
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await reduceOrgSchema(runner, 'create_org_before_audit_indexes');
    await runner.query(`
      DROP FUNCTION IF EXISTS index_org_audit;
    `);
    for (const schema of await orgSchemas(runner)) {
      await runner.query(
        `DROP INDEX IF EXISTS ${schema}.audit_events_records, ${schema}.audit_events_requests`,
      );
    }
  }
}

/** The statement in PL/pgSQL. */
function toExecute([name, keys]: [string, string]): string {
  const statement = `CREATE INDEX IF NOT EXISTS ${name} ON %I.audit_events ${keys}`;
  return `EXECUTE format('${statement.replaceAll("'", "''")}', name);`;
}
