import type { MigrationInterface, QueryRunner } from 'typeorm';
import { extendOrgSchema, orgSchemas, reduceOrgSchema } from './steps/org-schemas.js';

/**
 * Adds the beginning of a version to the index on its end, so that a read of the past finds the versions that were valid
 * at an instant without reading those that began later. The index of each organization is built in a transaction of its
 * own, so every step can be repeated.
 */
export class IndexTimesOfVersions1795000030300 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION index_org_versions(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'org_' || replace(org_id::text, '-', '');
      BEGIN
        EXECUTE format('CREATE INDEX IF NOT EXISTS record_versions_times
          ON %I.record_versions (collection_id, valid_to, valid_from)', name);
        EXECUTE format('DROP INDEX IF EXISTS %I.record_versions_ended', name);
      END $$;
    `);
    await extendOrgSchema(runner, 'create_org_before_version_times', 'index_org_versions');
    for (const schema of await orgSchemas(runner)) {
      await runner.query(`SELECT index_org_versions('${schema.slice(4)}')`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await reduceOrgSchema(runner, 'create_org_before_version_times');
    await runner.query(`
      DROP FUNCTION IF EXISTS index_org_versions;
    `);
    for (const schema of await orgSchemas(runner)) {
      await runner.query(`
        CREATE INDEX IF NOT EXISTS record_versions_ended ON ${schema}.record_versions (collection_id, valid_to);
        DROP INDEX IF EXISTS ${schema}.record_versions_times;
      `);
    }
  }
}
