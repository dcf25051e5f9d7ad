import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the extension pg_trgm, which indexes of the kind `search` need. A database that lacks it, or a user who may not
 * create it, is no reason to fail: the service then refuses such indexes. It stays after a rollback, because others may
 * use it.
 */
export class CreateTrigrams1795000029300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DO $$ BEGIN
        CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
      EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file THEN
        RAISE NOTICE 'pg_trgm is missing, so there are no indexes of the kind search: %', SQLERRM;
      END $$`);
  }

  async down(): Promise<void> {}
}
