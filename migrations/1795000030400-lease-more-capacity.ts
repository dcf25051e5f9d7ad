import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Organizations per transaction, because the number of PostgreSQL's locks is limited to some thousands. */
const BATCH = 500;

/**
 * A lease has up to 10,000 records, in place of 1,000, besides those that are wanted: bulk inserts of 1,000 records asked
 * for a lease every second time. Every step can be repeated.
 */
export class LeaseMoreCapacity1795000030400 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await replaceLease(runner, 10_000);
    await runner.query(`
      DO $$ BEGIN
        IF to_regprocedure('create_org_before_larger_leases(uuid)') IS NULL THEN
          ALTER FUNCTION create_org_schema(uuid) RENAME TO create_org_before_larger_leases;
        END IF;
      END $$;
      CREATE OR REPLACE FUNCTION create_org_schema(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM create_org_before_larger_leases(org_id);
        PERFORM replace_org_lease(org_id);
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DO $$ BEGIN
        IF to_regprocedure('create_org_before_larger_leases(uuid)') IS NOT NULL THEN
          DROP FUNCTION create_org_schema(uuid);
          ALTER FUNCTION create_org_before_larger_leases(uuid) RENAME TO create_org_schema;
        END IF;
      END $$;
    `);
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
  for (let last: string | undefined = ''; last !== undefined; ) {
    const done: { name: string }[] = await runner.query(
      `SELECT nspname AS name, replace_org_lease(substr(nspname, 5)::uuid) FROM (
         SELECT nspname FROM pg_namespace WHERE nspname ~ '^org_[0-9a-f]{32}$' AND nspname > $1
         ORDER BY nspname LIMIT ${BATCH}) AS batch`,
      [last],
    );
    last = done.at(-1)?.name;
  }
}
