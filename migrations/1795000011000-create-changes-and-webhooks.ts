import type { MigrationInterface, QueryRunner } from 'typeorm';
import { extendOrgSchema, inEveryOrg, reduceOrgSchema } from './steps/org-schemas.js';

/**
 * Stores the changes of records in the schema of the organization that owns them, and webhooks with their pending
 * deliveries. The migration runs in batches, not in one transaction, so every step can be repeated.
 */
export class CreateChangesAndWebhooks1795000011000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION create_org_changes(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'org_' || replace(org_id::text, '-', '');
      BEGIN
        -- Collections that are followed: only those have triggers. What lies at or before the position has been removed.
        EXECUTE format('CREATE TABLE %I.record_feeds (
          collection_id uuid PRIMARY KEY,
          feed uuid NOT NULL,
          kept_xid bigint NOT NULL,
          kept_seq bigint NOT NULL,
          asked_at timestamptz NOT NULL DEFAULT now())', name);
        EXECUTE format('CREATE TABLE %I.record_changes (
          collection_id uuid NOT NULL,
          xid bigint NOT NULL,
          seq bigint GENERATED ALWAYS AS IDENTITY,
          type text NOT NULL,
          record_id uuid NOT NULL,
          record text NOT NULL,
          changed_at timestamptz NOT NULL DEFAULT date_trunc(''milliseconds'', statement_timestamp()),
          PRIMARY KEY (collection_id, xid, seq))', name);
      END $$;
    `);
    await extendOrgSchema(runner, 'create_org_before_changes', 'create_org_changes');
    await runner.query(`
      CREATE TABLE IF NOT EXISTS webhooks (
        id uuid PRIMARY KEY,
        org_id uuid NOT NULL REFERENCES orgs ON DELETE CASCADE,
        collection_id uuid NOT NULL REFERENCES collections ON DELETE CASCADE,
        url text NOT NULL,
        events text[] NOT NULL,
        filter json,
        status text NOT NULL CHECK (status IN ('active', 'paused', 'failing', 'gone')),
        sealed_secret text NOT NULL,
        sealed_previous_secret text,
        previous_until timestamptz,
        -- Changes up to this position are in webhook_deliveries.
        feed uuid NOT NULL,
        after_xid bigint NOT NULL,
        after_seq bigint NOT NULL,
        failing_since timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX IF NOT EXISTS webhooks_collection ON webhooks (collection_id);

      CREATE TABLE IF NOT EXISTS webhook_deliveries (
        id uuid PRIMARY KEY,
        webhook_id uuid NOT NULL REFERENCES webhooks ON DELETE CASCADE,
        status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'dead')),
        changes integer NOT NULL,
        payload text NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        due_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        attempted_at timestamptz,
        last_status integer,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp()
      );
      CREATE INDEX IF NOT EXISTS webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at) WHERE status = 'pending';
      CREATE INDEX IF NOT EXISTS webhook_deliveries_status ON webhook_deliveries (webhook_id, status, id);
      CREATE INDEX IF NOT EXISTS webhook_deliveries_age ON webhook_deliveries (created_at);
    `);
    await inEveryOrg(runner, 'create_org_changes', { lacks: 'record_changes' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION drop_org_changes(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'org_' || replace(org_id::text, '-', '');
        follower text;
      BEGIN
        FOR follower IN SELECT proname FROM pg_proc
          WHERE pronamespace = name::regnamespace AND proname ~ '^follow_[0-9a-f]{32}$'
        LOOP
          EXECUTE format('DROP FUNCTION %I.%I CASCADE', name, follower);
        END LOOP;
        EXECUTE format('DROP TABLE %1$I.record_feeds, %1$I.record_changes', name);
      END $$;
    `);
    await reduceOrgSchema(runner, 'create_org_before_changes');
    await runner.query(`
      DROP TABLE IF EXISTS webhook_deliveries, webhooks;
    `);
    await inEveryOrg(runner, 'drop_org_changes', { has: 'record_changes' });
    await runner.query('DROP FUNCTION IF EXISTS create_org_changes, drop_org_changes');
  }
}
