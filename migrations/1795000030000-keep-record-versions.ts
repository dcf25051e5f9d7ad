import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSlices } from './steps/online-steps.js';
import { extendOrgSchema, inEveryOrg, reduceOrgSchema } from './steps/org-schemas.js';

/**
 * Stores what updates and deletes of records replaced, in the schema of the organization. Collections that exist already
 * keep nothing until their `history_days` is set. The migration runs in batches, not in one transaction, so every step
 * can be repeated.
 */
export class KeepRecordVersions1795000030000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION create_org_versions(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'org_' || replace(org_id::text, '-', '');
      BEGIN
        EXECUTE format('CREATE TABLE %I.record_versions (
          collection_id uuid NOT NULL,
          record_id uuid NOT NULL,
          version integer NOT NULL,
          valid_from timestamptz NOT NULL,
          valid_to timestamptz NOT NULL,
          expires_at timestamptz,
          -- The write that ended this version.
          event_id uuid,
          -- Null for the time in which the record was deleted.
          record text,
          PRIMARY KEY (collection_id, record_id, version))', name);
        EXECUTE format('CREATE INDEX record_versions_ended ON %I.record_versions (collection_id, valid_to)', name);
        EXECUTE format('CREATE INDEX record_versions_event ON %I.record_versions (event_id)', name);
      END $$;
    `);
    await extendOrgSchema(runner, 'create_org_before_versions', 'create_org_versions');
    await runner.query('ALTER TABLE collections ADD COLUMN IF NOT EXISTS history_since timestamptz');
    await runner.query(`
      -- For version 1.0.0, which leaves the setting out when it writes.
      CREATE OR REPLACE FUNCTION keep_history_days() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NOT NEW.settings ? 'history_days' THEN
          NEW.settings := NEW.settings || jsonb_build_object('history_days',
            CASE WHEN TG_OP = 'UPDATE' THEN coalesce(OLD.settings -> 'history_days', '0') ELSE '0' END);
        END IF;
        RETURN NEW;
      END $$;
      CREATE OR REPLACE TRIGGER collections_history_days BEFORE INSERT OR UPDATE OF settings ON collections
        FOR EACH ROW EXECUTE FUNCTION keep_history_days();
    `);
    await inSlices(
      runner,
      'collections',
      `UPDATE collections SET settings = settings || '{"history_days": 0}'
       WHERE id IN (SELECT id FROM slice) AND NOT settings ? 'history_days'`,
    );
    await inEveryOrg(runner, 'create_org_versions', { lacks: 'record_versions' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION drop_org_versions(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'org_' || replace(org_id::text, '-', '');
        keeper text;
      BEGIN
        FOR keeper IN SELECT proname FROM pg_proc
          WHERE pronamespace = name::regnamespace AND proname ~ '^keep_[0-9a-f]{32}$'
        LOOP
          EXECUTE format('DROP FUNCTION %I.%I CASCADE', name, keeper);
        END LOOP;
        EXECUTE format('DROP TABLE %I.record_versions', name);
      END $$;
    `);
    await reduceOrgSchema(runner, 'create_org_before_versions');
    await runner.query('DROP FUNCTION IF EXISTS keep_history_days CASCADE');
    await runner.query('ALTER TABLE collections DROP COLUMN IF EXISTS history_since');
    await inSlices(
      runner,
      'collections',
      `UPDATE collections SET settings = settings - 'history_days'
       WHERE id IN (SELECT id FROM slice) AND settings ? 'history_days'`,
    );
    await inEveryOrg(runner, 'drop_org_versions', { has: 'record_versions' });
    await runner.query('DROP FUNCTION IF EXISTS create_org_versions, drop_org_versions');
  }
}
