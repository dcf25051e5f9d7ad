import type { MigrationInterface, QueryRunner } from 'typeorm';
import { extendOrgSchema, inEveryOrg, reduceOrgSchema } from './steps/org-schemas.js';

/**
 * A lease has up to 10,000 records, in place of 1,000, besides those that are wanted: bulk inserts of 1,000 records asked
 * for a lease every second time. Every step can be repeated.
 */
export class LeaseMoreCapacity1795000030400 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await replaceLease(runner, 10_000);
    await extendOrgSchema(runner, 'create_org_before_larger_leases', 'replace_org_lease');
  }

  async down(runner: QueryRunner): Promise<void> {
    await reduceOrgSchema(runner, 'create_org_before_larger_leases');
    await replaceLease(runner, 1_000);
    await runner.query('DROP FUNCTION replace_org_lease');
  }
}

/** Replaces the function of every organization. Lets `replace_org_lease` do so for organizations to come. */
async function replaceLease(runner: QueryRunner, ahead: number): Promise<void> {
  await runner.query(`
    CREATE OR REPLACE FUNCTION replace_org_lease(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      name text := 'org_' || replace(org_id::text, '-', '');
    BEGIN
      -- Gives back unused capacity of a lease, and leases what is wanted with some to spare. granted is 0 near the limit.
      EXECUTE format('CREATE OR REPLACE FUNCTION %1$I.quota_lease(
          collection uuid, by_holder uuid, in_generation bigint, unused bigint, wanted bigint, most bigint, in_flight boolean,
          OUT generation bigint, OUT granted bigint) RETURNS SETOF record
        LANGUAGE plpgsql VOLATILE AS $f$
        DECLARE
          quota %1$I.record_quotas := %1$I.quota_locked(collection, wanted);
          spare bigint;
        BEGIN
          IF quota.collection_id IS NULL THEN RETURN; END IF;
          IF quota.generation = in_generation THEN quota.used := quota.used - unused; END IF;
          spare := least(${ahead}, (most - quota.used - wanted) / 16);
          granted := CASE WHEN spare < 4 OR quota.counting_until > clock_timestamp() THEN 0 ELSE wanted + spare END;
          UPDATE %1$I.record_quotas SET used = quota.used + granted WHERE collection_id = collection;
          IF granted > 0 THEN
            INSERT INTO %1$I.quota_leases VALUES (collection, by_holder, clock_timestamp() + interval ''60 s'')
              ON CONFLICT (collection_id, holder) DO UPDATE SET expires_at = excluded.expires_at;
          ELSIF NOT in_flight THEN
            DELETE FROM %1$I.quota_leases WHERE collection_id = collection AND holder = by_holder;
          END IF;
          generation := quota.generation;
          RETURN NEXT;
        END $f$', name);
    END $$`);
  await inEveryOrg(runner, 'replace_org_lease');
}
