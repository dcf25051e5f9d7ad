import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inEveryOrg } from './steps/org-schemas.js';

/**
 * `quota_give_back` extends a lease by the time of its statement instead of the clock: Citus accepts no volatile function
 * in an UPDATE, so on Citus the unused room of a lease was never given back. Every step can be repeated.
 */
export class ExtendLeasesByStatementTime1795000028900 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await replaceGiveBack(runner, 'statement_timestamp()');
    await runner.query(`
      CREATE OR REPLACE FUNCTION create_org_schema(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM create_org_before_quotas(org_id);
        PERFORM create_org_quotas(org_id);
        PERFORM replace_org_give_back(org_id);
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION create_org_schema(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM create_org_before_quotas(org_id);
        PERFORM create_org_quotas(org_id);
      END $$`);
    await replaceGiveBack(runner, 'clock_timestamp()');
    await runner.query('DROP FUNCTION replace_org_give_back');
  }
}

/** Replaces the function of every organization. Lets `replace_org_give_back` do so for organizations to come. */
async function replaceGiveBack(runner: QueryRunner, now: string): Promise<void> {
  await runner.query(`
    CREATE OR REPLACE FUNCTION replace_org_give_back(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      name text := 'org_' || replace(org_id::text, '-', '');
    BEGIN
      -- Gives back room of a lease, and ends the lease or, while inserts are in flight on it, extends it.
      EXECUTE format('CREATE OR REPLACE FUNCTION %1$I.quota_give_back(
          collection uuid, by_holder uuid, in_generation bigint, unused bigint, in_flight boolean) RETURNS void
        LANGUAGE plpgsql VOLATILE AS $f$
        BEGIN
          UPDATE %1$I.record_quotas SET used = used - unused
            WHERE collection_id = collection AND record_quotas.generation = in_generation AND unused > 0;
          IF in_flight THEN
            UPDATE %1$I.quota_leases SET expires_at = ${now} + interval ''60 s''
              WHERE collection_id = collection AND holder = by_holder;
          ELSE
            DELETE FROM %1$I.quota_leases WHERE collection_id = collection AND holder = by_holder;
          END IF;
        END $f$', name);
    END $$`);
  await inEveryOrg(runner, 'replace_org_give_back');
}
