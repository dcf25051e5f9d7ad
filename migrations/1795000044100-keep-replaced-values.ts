import type { MigrationInterface, QueryRunner } from 'typeorm';
import { extendOrgSchema, orgSchemas, reduceOrgSchema } from './steps/org-schemas.js';

/**
 * Changes of updates keep the values that they replaced. Null for changes from before, for other changes, and for those of
 * instances of earlier versions. The service makes the triggers of a feed anew with the next read of the feed. One
 * organization at a time, so that every step can be repeated.
 */
export class KeepReplacedValues1795000044100 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION add_org_replaced(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        EXECUTE format('ALTER TABLE %I.record_changes ADD COLUMN IF NOT EXISTS replaced text',
          'org_' || replace(org_id::text, '-', ''));
      END $$`);
    await extendOrgSchema(runner, 'create_org_before_replaced', 'add_org_replaced');
    for (const schema of await orgSchemas(runner))
      await runner.query(`ALTER TABLE ${schema}.record_changes ADD COLUMN IF NOT EXISTS replaced text`);
  }

  /** Ends the feeds whose triggers write the column. They begin again with their next reader. */
  async down(runner: QueryRunner): Promise<void> {
    await reduceOrgSchema(runner, 'create_org_before_replaced');
    for (const schema of await orgSchemas(runner)) {
      const feeds: { id: string }[] = await runner.query(
        `SELECT DISTINCT substr(p.proname, 8) AS id FROM pg_proc p JOIN pg_trigger t ON t.tgfoid = p.oid
         WHERE p.pronamespace = '${schema}'::regnamespace AND p.proname ~ '^follow_[0-9a-f]{32}$' AND t.tgoldtable = 'replaced'`,
      );
      for (const { id } of feeds)
        await runner.query(`DO $$ BEGIN
          DROP FUNCTION IF EXISTS ${schema}.follow_${id}() CASCADE;
          DELETE FROM ${schema}.record_feeds WHERE collection_id = '${id}'::uuid;
        END $$`);
      await runner.query(`ALTER TABLE ${schema}.record_changes DROP COLUMN IF EXISTS replaced`);
    }
    await runner.query('DROP FUNCTION IF EXISTS add_org_replaced');
  }
}
