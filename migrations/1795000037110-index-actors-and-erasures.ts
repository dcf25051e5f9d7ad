import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addIndex } from './steps/online-steps.js';
import { orgSchemas } from './steps/org-schemas.js';

/**
 * Finds the audit events of one actor, and the changes of one record for its erasure, by an index. The indexes of each
 * organization are built one after the other while its tables are in use, and every step can be repeated.
 */
export class IndexActorsAndErasures1795000037110 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(indexOrgAudit(MORE));
    for (const schema of await orgSchemas(runner)) {
      for (const [name, table, keys] of INDEXES) await addIndex(runner, { schema, name, table, keys });
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(indexOrgAudit(''));
    for (const schema of await orgSchemas(runner)) {
      for (const [name] of INDEXES) await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${schema}.${name}`);
    }
  }
}

const INDEXES: readonly [name: string, table: string, keys: string][] = [
  ['audit_events_actor', 'audit_events', `((actor->>'id'), id)`],
  ['record_changes_record', 'record_changes', '(collection_id, record_id)'],
];

const MORE = `
        EXECUTE format('CREATE INDEX IF NOT EXISTS audit_events_actor ON %I.audit_events ((actor->>''id''), id)', name);
        EXECUTE format('CREATE INDEX IF NOT EXISTS record_changes_record
          ON %I.record_changes (collection_id, record_id)', name);`;

/** The function that the creation of an organization calls. */
function indexOrgAudit(more: string): string {
  return `
      CREATE OR REPLACE FUNCTION index_org_audit(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'org_' || replace(org_id::text, '-', '');
      BEGIN
        EXECUTE format('CREATE INDEX IF NOT EXISTS audit_events_records ON %I.audit_events USING gin (record_ids)
          WHERE type <> ''collections.records.inserted''', name);
        EXECUTE format('CREATE INDEX IF NOT EXISTS audit_events_requests ON %I.audit_events
          USING brin (correlation_id) WITH (pages_per_range = 16, autosummarize = on)', name);${more}
      END $$`;
}
