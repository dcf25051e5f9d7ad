import type { MigrationInterface, QueryRunner } from 'typeorm';
import { extendOrgSchema, inEveryOrg, reduceOrgSchema } from './steps/org-schemas.js';

/**
 * Leases have up to 10,000 records, so up to 10,000 deletes add a row of capacity that they give back before the quota
 * is locked again. It then takes back up to 20,000 of these rows in place of 1,000, so their number falls. Every step
 * can be repeated.
 */
export class TakeBackMoreReturns1795000032110 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await replaceLock(runner, 20_000);
    await extendOrgSchema(runner, 'create_org_before_more_returns', 'replace_org_quota_lock');
  }

  async down(runner: QueryRunner): Promise<void> {
    await reduceOrgSchema(runner, 'create_org_before_more_returns');
    await replaceLock(runner, 1_000);
    await runner.query('DROP FUNCTION replace_org_quota_lock');
  }
}

/** Replaces the function of every organization. Lets `replace_org_quota_lock` do so for organizations to come. */
async function replaceLock(runner: QueryRunner, returns: number): Promise<void> {
  await runner.query(`
    CREATE OR REPLACE FUNCTION replace_org_quota_lock(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      -- Locks the quota and takes back what deletes gave.
      EXECUTE format('CREATE OR REPLACE FUNCTION %1$I.quota_locked(collection uuid, wanted bigint) RETURNS %1$I.record_quotas
        LANGUAGE plpgsql VOLATILE AS $f$
        DECLARE
          quota %1$I.record_quotas;
          given_back bigint;
        BEGIN
          SELECT * INTO quota FROM %1$I.record_quotas WHERE collection_id = collection FOR UPDATE;
          IF NOT FOUND THEN RETURN NULL; END IF;
          WITH gone AS (
            DELETE FROM %1$I.quota_returns WHERE collection_id = collection AND id IN (
              SELECT id FROM %1$I.quota_returns WHERE collection_id = collection LIMIT greatest(wanted, ${returns}))
            RETURNING quota_returns.records)
          SELECT sum(gone.records) INTO given_back FROM gone;
          quota.used := quota.used - coalesce(given_back, 0);
          RETURN quota;
        END $f$', 'org_' || replace(org_id::text, '-', ''));
    END $$`);
  await inEveryOrg(runner, 'replace_org_quota_lock');
}
