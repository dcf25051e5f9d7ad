import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Changes of the schema of large collections, which run while records are read and written. `misfits` are records
 * written meanwhile that do not fit the changed schema. `leftovers` of a collection are the names of columns whose values
 * some records still have among their flexible fields too, although they are not read from there any more.
 */
export class CreateSchemaChanges1795000029600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE schema_changes (
        collection_id uuid PRIMARY KEY REFERENCES collections ON DELETE CASCADE,
        id uuid NOT NULL,
        columns jsonb NOT NULL,
        phase text NOT NULL CHECK (phase IN ('copying', 'cleaning', 'abandoned', 'failed')),
        done_rows bigint NOT NULL DEFAULT 0,
        total_rows bigint NOT NULL DEFAULT 0,
        started_at timestamptz NOT NULL,
        error json
      );
      CREATE TABLE schema_change_misfits (
        collection_id uuid NOT NULL REFERENCES schema_changes ON DELETE CASCADE,
        record_id uuid NOT NULL,
        PRIMARY KEY (collection_id, record_id)
      );
      ALTER TABLE collections ADD COLUMN leftovers text[] NOT NULL DEFAULT '{}';
    `);
  }

  /** Records with leftovers would show fields twice to the earlier version. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DO $$ BEGIN
        IF EXISTS (SELECT FROM schema_changes WHERE phase <> 'failed') THEN
          RAISE 'Schema changes are running. Start the service and wait until no collection has the status building.';
        END IF;
      END $$;
      DROP TABLE schema_change_misfits;
      DROP TABLE schema_changes;
      ALTER TABLE collections DROP COLUMN leftovers;
    `);
  }
}
