import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addIndex } from './steps/online-steps.js';

/** Collections per transaction: each takes several of PostgreSQL's locks, whose number is limited to some thousands. */
const BATCH = 100;

/**
 * Keeps deleted collections for some days. Their rows have a time in `deleted_at` and their tables another name, so that
 * no statement made for the collection finds them. The name of a deleted collection is free. Reverting removes deleted
 * collections for good. The migration runs in batches, not in one transaction, so every step can be repeated.
 */
export class KeepDeletedCollections1795000029000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE collections ADD COLUMN IF NOT EXISTS deleted_at timestamptz');
    await addIndex(runner, {
      name: 'collections_owner_name',
      table: 'collections',
      keys: '(org_id, owner_type, owner_id, name) WHERE deleted_at IS NULL',
      unique: true,
    });
    await runner.query(
      'ALTER TABLE collections DROP CONSTRAINT IF EXISTS collections_org_id_owner_type_owner_id_name_key',
    );
    await addIndex(runner, {
      name: 'collections_deleted',
      table: 'collections',
      keys: '(org_id, deleted_at) WHERE deleted_at IS NOT NULL',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION remove_deleted_collection(org_id uuid, collection_id uuid) RETURNS void
        LANGUAGE plpgsql AS $$
      DECLARE
        schema text := 'org_' || replace(org_id::text, '-', '');
        counter text;
      BEGIN
        EXECUTE format('DROP TABLE IF EXISTS %I.%I', schema, 'trash_' || replace(collection_id::text, '-', ''));
        FOREACH counter IN ARRAY ARRAY['record_quotas', 'quota_leases', 'quota_returns'] LOOP
          EXECUTE format('DELETE FROM %I.%I WHERE collection_id = $1', schema, counter) USING collection_id;
        END LOOP;
        DELETE FROM public.collections WHERE id = collection_id;
      END $$;
    `);
    const [{ kept }] = await runner.query(
      `SELECT EXISTS (SELECT FROM information_schema.columns
         WHERE table_schema = 'public' AND table_name = 'collections' AND column_name = 'deleted_at') AS kept`,
    );
    for (let done: unknown[] = [kept]; kept && done.length > 0; ) {
      done = await runner.query(`
        SELECT remove_deleted_collection(org_id, id) FROM (
          SELECT org_id, id FROM collections WHERE deleted_at IS NOT NULL LIMIT ${BATCH}) AS batch`);
    }
    await runner.query(`
      DROP FUNCTION remove_deleted_collection;
      DO $$ BEGIN
        IF to_regclass('collections_owner_name') IS NOT NULL THEN
          ALTER TABLE collections ADD UNIQUE (org_id, owner_type, owner_id, name);
        END IF;
      END $$;
      DROP INDEX IF EXISTS collections_owner_name, collections_deleted;
      ALTER TABLE collections DROP COLUMN IF EXISTS deleted_at;
    `);
  }
}
