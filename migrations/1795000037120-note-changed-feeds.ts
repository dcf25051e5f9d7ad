import type { MigrationInterface, QueryRunner } from 'typeorm';
import { extendOrgSchema, reduceOrgSchema } from './steps/org-schemas.js';

/**
 * Notes which collections have new changes, in one table for all organizations, so that one statement finds the webhooks
 * to serve. Each transaction adds rows of its own, so writers never wait for each other. A webhook that is made active is
 * noted too, because it may be behind. The triggers of each organization are made in a transaction of its own, so every
 * step can be repeated.
 */
export class NoteChangedFeeds1795000037120 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE IF NOT EXISTS change_notes (
        xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
        collection_id uuid NOT NULL,
        noted_at timestamptz NOT NULL DEFAULT statement_timestamp()
      );
      CREATE INDEX IF NOT EXISTS change_notes_xid ON change_notes (xid);

      -- An INSERT into the changes of an organization is about one collection.
      CREATE OR REPLACE FUNCTION note_changes() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO public.change_notes (collection_id) SELECT collection_id FROM written LIMIT 1;
        RETURN NULL;
      END $$;

      CREATE OR REPLACE FUNCTION note_webhook() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO public.change_notes (collection_id) VALUES (NEW.collection_id);
        RETURN NULL;
      END $$;

      CREATE OR REPLACE FUNCTION note_org_changes(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        EXECUTE format('CREATE OR REPLACE TRIGGER note_changes AFTER INSERT ON %I.record_changes
          REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION public.note_changes()',
          'org_' || replace(org_id::text, '-', ''));
      END $$;
    `);
    await extendOrgSchema(runner, 'create_org_before_change_notes', 'note_org_changes');
    for (const event of ['INSERT', 'UPDATE OF status']) {
      await runner.query(`CREATE OR REPLACE TRIGGER note_${event.slice(0, 6).toLowerCase()} AFTER ${event} ON webhooks
        FOR EACH ROW WHEN (NEW.status = 'active') EXECUTE FUNCTION note_webhook()`);
    }
    for (const org of await orgsOf(runner)) await runner.query(`SELECT note_org_changes('${org}')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await reduceOrgSchema(runner, 'create_org_before_change_notes');
    await runner.query(`
      DROP FUNCTION IF EXISTS note_org_changes;
      DROP FUNCTION IF EXISTS note_webhook CASCADE;
    `);
    for (const org of await orgsOf(runner)) {
      await runner.query(`DROP TRIGGER IF EXISTS note_changes ON "org_${org}".record_changes`);
    }
    await runner.query('DROP FUNCTION IF EXISTS note_changes; DROP TABLE IF EXISTS change_notes');
  }
}

/** The ids of the organizations with a change feed on this server, in the form that the names of their schemas have. */
async function orgsOf(runner: QueryRunner): Promise<string[]> {
  const rows: { org: string }[] = await runner.query(`
    SELECT substr(n.nspname, 5) AS org FROM pg_attribute a
    JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname ~ '^org_[0-9a-f]{32}$' AND c.relname = 'record_changes' AND a.attname = 'seq' AND a.attidentity <> ''`);
  return rows.map(({ org }) => org);
}
