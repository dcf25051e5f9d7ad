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

  async down(runner: QueryRunner): Promise<void> {
    await reduceOrgSchema(runner, 'create_org_before_replaced');
    for (const schema of await orgSchemas(runner)) {
      const feeds: { name: string }[] = await runner.query(
        `SELECT p.proname AS name FROM pg_proc p JOIN pg_trigger t ON t.tgfoid = p.oid
         WHERE p.pronamespace = '${schema}'::regnamespace AND p.proname ~ '^follow_[0-9a-f]{32}$' AND t.tgoldtable = 'replaced'`,
      );
      for (const { name } of feeds) await runner.query(forgetReplaced(schema, name));
      await runner.query(`ALTER TABLE ${schema}.record_changes DROP COLUMN IF EXISTS replaced`);
    }
    await runner.query('DROP FUNCTION IF EXISTS add_org_replaced');
  }
}

/** The part of the function of a feed that the earlier version has not. The service writes these comments (`change-feed.ts`). */
const [BEGIN, END] = ['-- begin of updates', '-- end of updates'];

/**
 * Takes this part out of the function, and the rows before from its trigger. Ends the feed if names that users chose
 * contain such a comment: it begins again with its next reader.
 */
function forgetReplaced(schema: string, name: string): string {
  return `DO $$
    DECLARE
      source text;
      followed regclass;
      times int;
    BEGIN
      SELECT p.prosrc, t.tgrelid INTO source, followed FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
      WHERE p.oid = '${schema}.${name}'::regproc AND t.tgname = 'follow_update';
      times := (SELECT count(*) FROM regexp_matches(source, '${BEGIN}|${END}', 'g'));
      IF times <> 2 THEN
        DROP FUNCTION ${schema}.${name}() CASCADE;
        DELETE FROM ${schema}.record_feeds WHERE collection_id = '${name.slice(-32)}'::uuid;
        RETURN;
      END IF;
      EXECUTE format('CREATE OR REPLACE FUNCTION ${schema}.${name}() RETURNS trigger LANGUAGE plpgsql AS %L',
        split_part(source, '${BEGIN}', 1) || split_part(source, '${END}', 2));
      EXECUTE format('CREATE OR REPLACE TRIGGER follow_update AFTER UPDATE ON %s REFERENCING NEW TABLE AS written
        FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.${name}()', followed);
    END $$`;
}
