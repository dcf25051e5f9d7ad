import type { MigrationInterface, QueryRunner } from 'typeorm';

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

      DO $$ BEGIN
        IF to_regprocedure('create_org_before_version_times(uuid)') IS NULL THEN
          ALTER FUNCTION create_org_schema(uuid) RENAME TO create_org_before_version_times;
        END IF;
      END $$;
      CREATE OR REPLACE FUNCTION create_org_schema(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM create_org_before_version_times(org_id);
        PERFORM index_org_versions(org_id);
      END $$;
    `);
    for (const org of await orgsOf(runner)) {
      await runner.query(`SELECT index_org_versions('${org}')`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DO $$ BEGIN
        IF to_regprocedure('create_org_before_version_times(uuid)') IS NOT NULL THEN
          DROP FUNCTION create_org_schema(uuid);
          ALTER FUNCTION create_org_before_version_times(uuid) RENAME TO create_org_schema;
        END IF;
      END $$;
      DROP FUNCTION IF EXISTS index_org_versions;
    `);
    for (const org of await orgsOf(runner)) {
      await runner.query(`
        CREATE INDEX IF NOT EXISTS record_versions_ended ON "org_${org}".record_versions (collection_id, valid_to);
        DROP INDEX IF EXISTS "org_${org}".record_versions_times;
      `);
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
