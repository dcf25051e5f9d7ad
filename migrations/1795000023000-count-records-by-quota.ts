import type { MigrationInterface, QueryRunner } from 'typeorm';
import { END_EARLIER_VERSION, SERVE_EARLIER_VERSION } from './earlier-quotas.js';
import { extendOrgSchema, inEveryOrg, reduceOrgSchema } from './steps/org-schemas.js';

/**
 * Replaces the slots of `max_records` by a quota to which deletes return room. Instances of version 1.0.0 go on beside it. The migration runs in batches, not
 * in one transaction, so every step can be repeated.
 */
export class CountRecordsByQuota1795000023000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION create_org_quotas(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'org_' || replace(org_id::text, '-', '');
      BEGIN
        -- A collection that is created meanwhile has a row only when its transaction has ended.
        EXECUTE format('LOCK TABLE %I.record_slots IN ACCESS EXCLUSIVE MODE', name);
        -- used: rows in the table and room leased to instances. Never less than the rows, so max_records is never exceeded.
        -- Until counting_until no room is leased: a count is under way.
        EXECUTE format('CREATE TABLE %I.record_quotas (
          collection_id uuid PRIMARY KEY,
          generation bigint NOT NULL DEFAULT 1,
          used bigint NOT NULL DEFAULT 0,
          counting_until timestamptz) WITH (fillfactor = 50)', name);
        -- Instances that may hold leased room. One that has expired was not given back: its holder is gone.
        EXECUTE format('CREATE TABLE %I.quota_leases (
          collection_id uuid NOT NULL,
          holder uuid NOT NULL,
          expires_at timestamptz NOT NULL,
          PRIMARY KEY (collection_id, holder))', name);
        -- Room that deletes gave back and that is not yet taken off "used": a row each, so that deletes do not wait for each other.
        EXECUTE format('CREATE TABLE %I.quota_returns (
          collection_id uuid NOT NULL,
          id uuid NOT NULL,
          records bigint NOT NULL,
          PRIMARY KEY (collection_id, id))', name);
        -- What instances of the former version hold is unknown: an expired lease asks for a count before "full" is said.
        EXECUTE format('INSERT INTO %1$I.record_quotas (collection_id, generation, used)
          SELECT collection_id, epoch + 1, counted + granted FROM %1$I.record_slots', name);
        EXECUTE format('INSERT INTO %1$I.quota_leases
          SELECT collection_id, ''00000000-0000-0000-0000-000000000000'', ''-infinity''
          FROM %1$I.record_slots WHERE counted + granted > 0', name);
        EXECUTE format('DROP FUNCTION %I.slots_hold(uuid, bigint)', name);
        EXECUTE format('DROP TABLE %I.record_slots', name);

        -- All of these are volatile: each of their statements sees what was committed while the one before waited.

        -- Locks the quota and takes off what deletes gave back: at least as many of their rows as can have been added since.
        EXECUTE format('CREATE FUNCTION %1$I.quota_locked(collection uuid, wanted bigint) RETURNS %1$I.record_quotas
          LANGUAGE plpgsql VOLATILE AS $f$
          DECLARE
            quota %1$I.record_quotas;
            given_back bigint;
          BEGIN
            SELECT * INTO quota FROM %1$I.record_quotas WHERE collection_id = collection FOR UPDATE;
            IF NOT FOUND THEN RETURN NULL; END IF;
            WITH gone AS (
              DELETE FROM %1$I.quota_returns WHERE collection_id = collection AND id IN (
                SELECT id FROM %1$I.quota_returns WHERE collection_id = collection LIMIT greatest(wanted, 1000))
              RETURNING quota_returns.records)
            SELECT sum(gone.records) INTO given_back FROM gone;
            quota.used := quota.used - coalesce(given_back, 0);
            RETURN quota;
          END $f$', name);

        -- Gives back the unused rest of a lease, and leases what is wanted with some to spare. granted is 0 near the limit.
        EXECUTE format('CREATE FUNCTION %1$I.quota_lease(
            collection uuid, by_holder uuid, in_generation bigint, unused bigint, wanted bigint, most bigint, in_flight boolean,
            OUT generation bigint, OUT granted bigint) RETURNS SETOF record
          LANGUAGE plpgsql VOLATILE AS $f$
          DECLARE
            quota %1$I.record_quotas := %1$I.quota_locked(collection, wanted);
            spare bigint;
          BEGIN
            IF quota.collection_id IS NULL THEN RETURN; END IF;
            IF quota.generation = in_generation THEN quota.used := quota.used - unused; END IF;
            spare := least(1000, (most - quota.used - wanted) / 16);
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

        -- Gives back room of a lease, and ends the lease or, while inserts are in flight on it, extends it.
        EXECUTE format('CREATE FUNCTION %1$I.quota_give_back(
            collection uuid, by_holder uuid, in_generation bigint, unused bigint, in_flight boolean) RETURNS void
          LANGUAGE plpgsql VOLATILE AS $f$
          BEGIN
            UPDATE %1$I.record_quotas SET used = used - unused
              WHERE collection_id = collection AND record_quotas.generation = in_generation AND unused > 0;
            IF in_flight THEN
              UPDATE %1$I.quota_leases SET expires_at = clock_timestamp() + interval ''60 s''
                WHERE collection_id = collection AND holder = by_holder;
            ELSE
              DELETE FROM %1$I.quota_leases WHERE collection_id = collection AND holder = by_holder;
            END IF;
          END $f$', name);

        -- True while leases of this generation are good. A count waits for the transactions that hold the second lock.
        EXECUTE format('CREATE FUNCTION %1$I.quota_holds(collection uuid, in_generation bigint) RETURNS boolean
          LANGUAGE plpgsql VOLATILE AS $f$
          BEGIN
            PERFORM pg_advisory_xact_lock_shared(hashtextextended(collection::text, 1)),
              pg_advisory_xact_lock_shared(hashtextextended(collection::text, 5));
            RETURN EXISTS (SELECT FROM %1$I.record_quotas WHERE collection_id = collection AND generation = in_generation);
          END $f$', name);

        -- Whether it is worth a try: locks nothing of the quota.
        EXECUTE format('CREATE FUNCTION %1$I.quota_has_room(collection uuid, wanted bigint, most bigint) RETURNS boolean
          LANGUAGE plpgsql VOLATILE AS $f$
          BEGIN
            PERFORM pg_advisory_xact_lock_shared(hashtextextended(collection::text, 1));
            RETURN wanted = 0 OR (
              SELECT used + wanted <= most + coalesce((
                SELECT sum(r.records) FROM %1$I.quota_returns r WHERE r.collection_id = collection), 0)
              FROM %1$I.record_quotas WHERE collection_id = collection);
          END $f$', name);

        -- Takes room for records that this transaction has written; fails with QF001 when there is not enough.
        EXECUTE format('CREATE FUNCTION %1$I.quota_take(collection uuid, added bigint, most bigint) RETURNS bigint
          LANGUAGE plpgsql VOLATILE AS $f$
          DECLARE
            quota %1$I.record_quotas;
          BEGIN
            IF added = 0 THEN RETURN 0; END IF;
            quota := %1$I.quota_locked(collection, added);
            IF quota.collection_id IS NULL OR quota.used + added > most THEN
              RAISE EXCEPTION ''the records do not fit'' USING ERRCODE = ''QF001'';
            END IF;
            UPDATE %1$I.record_quotas SET used = quota.used + added WHERE collection_id = collection;
            RETURN added;
          END $f$', name);

        -- Tables on the nodes of Citus have no triggers of this kind.
        IF to_regclass('pg_catalog.pg_dist_shard') IS NOT NULL THEN RETURN; END IF;
        ${SERVE_EARLIER_VERSION}
      END $$;
    `);
    await extendOrgSchema(runner, 'create_org_before_quotas', 'create_org_quotas');
    await inEveryOrg(runner, 'create_org_quotas', { lacks: 'record_quotas' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION drop_org_quotas(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'org_' || replace(org_id::text, '-', '');
      BEGIN
        ${END_EARLIER_VERSION}
        EXECUTE format('CREATE TABLE %I.record_slots (
          collection_id uuid PRIMARY KEY,
          epoch bigint NOT NULL DEFAULT 1,
          counted bigint NOT NULL,
          granted bigint NOT NULL DEFAULT 0)', name);
        EXECUTE format('INSERT INTO %1$I.record_slots (collection_id, epoch, counted)
          SELECT collection_id, generation + 1, used FROM %1$I.record_quotas', name);
        EXECUTE format('CREATE FUNCTION %1$I.slots_hold(collection uuid, in_epoch bigint) RETURNS boolean
          LANGUAGE plpgsql VOLATILE AS $f$
          BEGIN
            PERFORM pg_advisory_xact_lock_shared(hashtextextended(collection::text, 1));
            RETURN EXISTS (SELECT FROM %1$I.record_slots WHERE collection_id = collection AND epoch = in_epoch);
          END $f$', name);
        EXECUTE format('DROP FUNCTION %1$I.quota_lease, %1$I.quota_give_back, %1$I.quota_holds, %1$I.quota_has_room,
          %1$I.quota_take, %1$I.quota_locked', name);
        EXECUTE format('DROP TABLE %1$I.record_quotas, %1$I.quota_leases, %1$I.quota_returns', name);
      END $$;
    `);
    await reduceOrgSchema(runner, 'create_org_before_quotas');
    await inEveryOrg(runner, 'drop_org_quotas', { has: 'record_quotas' });
    await runner.query('DROP FUNCTION IF EXISTS create_org_quotas, drop_org_quotas');
  }
}
