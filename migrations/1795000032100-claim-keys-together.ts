import type { MigrationInterface, QueryRunner } from 'typeorm';
import { extendOrgSchema, inEveryOrg, reduceOrgSchema } from './steps/org-schemas.js';

/**
 * A function that claims the Idempotency-Keys of several writes for one statement. Version 1.0.0 does not use it. Every
 * step can be repeated.
 */
export class ClaimKeysTogether1795000032100 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION create_org_claims(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'org_' || replace(org_id::text, '-', '');
      BEGIN
        -- claims: lists that begin with the id of a record, the caller and the key. Returns the ids of those whose key
        -- another transaction has claimed, or has a response, and claims the others, as claim_idempotency_key does, but
        -- without waiting. The second statement sees what was committed before the first one took the locks.
        EXECUTE format('CREATE OR REPLACE FUNCTION %1$I.claim_idempotency_keys(claims jsonb) RETURNS SETOF uuid
          LANGUAGE plpgsql VOLATILE AS $f$
          BEGIN
            RETURN QUERY SELECT (c.list->>0)::uuid FROM jsonb_array_elements(claims) AS c(list)
              WHERE NOT pg_try_advisory_xact_lock(hashtextextended((c.list->>1) || '' '' || (c.list->>2), 3));
            RETURN QUERY SELECT (c.list->>0)::uuid FROM jsonb_array_elements(claims) AS c(list)
              WHERE (SELECT true FROM %1$I.idempotency_keys k WHERE k.caller = c.list->>1 AND k.key = c.list->>2);
          END $f$', name);
      END $$;
    `);
    await extendOrgSchema(runner, 'create_org_before_claims', 'create_org_claims');
    await inEveryOrg(runner, 'create_org_claims');
  }

  async down(runner: QueryRunner): Promise<void> {
    await reduceOrgSchema(runner, 'create_org_before_claims');
    await runner.query(`
      CREATE OR REPLACE FUNCTION drop_org_claims(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        EXECUTE format('DROP FUNCTION IF EXISTS %I.claim_idempotency_keys', 'org_' || replace(org_id::text, '-', ''));
      END $$;
    `);
    await inEveryOrg(runner, 'drop_org_claims');
    await runner.query('DROP FUNCTION IF EXISTS create_org_claims, drop_org_claims');
  }
}
