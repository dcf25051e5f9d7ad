import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Organizations per transaction. Each takes about six of PostgreSQL's locks, whose number is limited to some
 * thousands.
 */
const BATCH = 100;

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

      DO $$ BEGIN
        IF to_regprocedure('create_org_records(uuid)') IS NULL THEN
          ALTER FUNCTION create_org_schema(uuid) RENAME TO create_org_records;
        END IF;
      END $$;
      CREATE OR REPLACE FUNCTION create_org_schema(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM create_org_records(org_id);
        PERFORM create_org_idempotency(org_id);
      END $$;
    `);
    await inBatches(runner, 'create_org_idempotency', 'IS NULL');
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

      DO $$ BEGIN
        IF to_regprocedure('create_org_records(uuid)') IS NOT NULL THEN
          DROP FUNCTION create_org_schema(uuid);
          ALTER FUNCTION create_org_records(uuid) RENAME TO create_org_schema;
        END IF;
      END $$;
    `);
    await inBatches(runner, 'drop_org_idempotency', 'IS NOT NULL');
    await runner.query('DROP FUNCTION IF EXISTS create_org_idempotency, drop_org_idempotency');
  }
}

/** Calls a function for every organization whose schema has the table, or for every one whose schema lacks it. */
async function inBatches(runner: QueryRunner, call: string, table: 'IS NULL' | 'IS NOT NULL'): Promise<void> {
  for (let done: unknown[] = [call]; done.length > 0; ) {
    done = await runner.query(`
      SELECT ${call}(substr(nspname, 5)::uuid) FROM (
        SELECT nspname FROM pg_namespace
        WHERE nspname ~ '^org_[0-9a-f]{32}$' AND to_regclass(nspname || '.idempotency_keys') ${table}
        LIMIT ${BATCH}) AS batch`);
  }
}
