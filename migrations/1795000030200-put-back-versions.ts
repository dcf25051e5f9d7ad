import type { MigrationInterface, QueryRunner } from 'typeorm';
import { extendOrgSchema, inEveryOrg, reduceOrgSchema } from './steps/org-schemas.js';

/**
 * Stores what an undo needs beside the versions of records: which version a write put back, and the ids of records that
 * a large insert added. The migration runs in batches, not in one transaction, so every step can be repeated.
 */
export class PutBackVersions1795000030200 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION create_org_undo(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'org_' || replace(org_id::text, '-', '');
      BEGIN
        -- The version that the write which ended this one put back; 0: the time before the record was inserted.
        EXECUTE format('ALTER TABLE %I.record_versions ADD COLUMN put_back integer', name);
        -- Without statistics the planner expects many versions of a collection, and looks a version up by the primary key.
        -- With statistics from before a collection had versions it expects none, and reads all of them for each record.
        EXECUTE format('ALTER TABLE %I.record_versions ALTER collection_id SET STATISTICS 0', name);
        EXECUTE format('CREATE INDEX record_versions_put_back ON %I.record_versions (collection_id, record_id, version)
          WHERE put_back IS NOT NULL', name);
        EXECUTE format('CREATE TABLE %I.inserted_ids (
          collection_id uuid NOT NULL,
          event_id uuid NOT NULL,
          inserted_at timestamptz NOT NULL DEFAULT now(),
          record_ids uuid[] NOT NULL,
          PRIMARY KEY (collection_id, event_id))', name);
        -- Compressing ids takes longer than writing them.
        EXECUTE format('ALTER TABLE %I.inserted_ids ALTER record_ids SET STORAGE EXTERNAL', name);
      END $$;
    `);
    await extendOrgSchema(runner, 'create_org_before_undo', 'create_org_undo');
    await inEveryOrg(runner, 'create_org_undo', { lacks: 'inserted_ids' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION drop_org_undo(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'org_' || replace(org_id::text, '-', '');
      BEGIN
        EXECUTE format('DROP TABLE %I.inserted_ids', name);
        EXECUTE format('ALTER TABLE %I.record_versions DROP COLUMN put_back, ALTER collection_id SET STATISTICS -1', name);
      END $$;
    `);
    await reduceOrgSchema(runner, 'create_org_before_undo');
    await inEveryOrg(runner, 'drop_org_undo', { has: 'inserted_ids' });
    await runner.query('DROP FUNCTION IF EXISTS create_org_undo, drop_org_undo');
  }
}
