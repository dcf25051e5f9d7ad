import type { MigrationInterface, QueryRunner } from 'typeorm';
import { extendOrgSchema, inEveryOrg, reduceOrgSchema } from './steps/org-schemas.js';

/**
 * Stores answers to requests with an Idempotency-Key in the schema of the organization whose data was written.
 * The migration runs in batches, not in one transaction, so every step can be repeated.
 */
export class CreateIdempotency1795000005000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION create_org_idempotency(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'org_' || replace(org_id::text, '-', '');
      BEGIN
        EXECUTE format('CREATE TABLE %I.idempotency_keys (
          caller text NOT NULL,
          key text NOT NULL,
          request bytea NOT NULL,
          status smallint NOT NULL,
          answer text NOT NULL,
          sealed boolean NOT NULL,
          created_at timestamptz NOT NULL DEFAULT now(),
          PRIMARY KEY (caller, key))', name);
        EXECUTE format('CREATE INDEX idempotency_keys_age ON %I.idempotency_keys (created_at)', name);
        -- True when the key is free, and then it is this transaction's. Who comes second waits here, briefly, before
        -- it has done anything. The look at the table has a snapshot of its own (a volatile function), so an answer
        -- that was waited for is seen.
        EXECUTE format('CREATE FUNCTION %1$I.claim_idempotency_key(by_caller text, wanted text) RETURNS boolean
          LANGUAGE plpgsql VOLATILE SET lock_timeout = ''5s'' AS $f$
          BEGIN
            BEGIN
              PERFORM pg_advisory_xact_lock(hashtextextended(by_caller || '' '' || wanted, 3));
            EXCEPTION WHEN lock_not_available THEN
              RAISE EXCEPTION ''an equal request is still under way'' USING ERRCODE = ''IK002'';
            END;
            DELETE FROM %1$I.idempotency_keys WHERE caller = by_caller AND key = wanted
              AND created_at <= statement_timestamp() - interval ''24 hours'';
            IF EXISTS (SELECT FROM %1$I.idempotency_keys WHERE caller = by_caller AND key = wanted) THEN
              RAISE EXCEPTION ''an equal request has been answered'' USING ERRCODE = ''IK001'';
            END IF;
            RETURN true;
          END $f$', name);
      END $$;
    `);
    await extendOrgSchema(runner, 'create_org_records', 'create_org_idempotency');
    await inEveryOrg(runner, 'create_org_idempotency', { lacks: 'idempotency_keys' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION drop_org_idempotency(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'org_' || replace(org_id::text, '-', '');
      BEGIN
        EXECUTE format('DROP FUNCTION %I.claim_idempotency_key', name);
        EXECUTE format('DROP TABLE %I.idempotency_keys', name);
      END $$;
    `);
    await reduceOrgSchema(runner, 'create_org_records');
    await inEveryOrg(runner, 'drop_org_idempotency', { has: 'idempotency_keys' });
    await runner.query('DROP FUNCTION IF EXISTS create_org_idempotency, drop_org_idempotency');
  }
}
