import type { MigrationInterface, QueryRunner } from 'typeorm';

const AUDIT_COLUMNS = `
  id uuid PRIMARY KEY,
  type text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  actor jsonb NOT NULL,
  target jsonb NOT NULL,
  count integer,
  record_ids uuid[],
  changes jsonb,
  correlation_id text,
  ip text
`;

export class CreateCollections1795000002000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE collections (
        id uuid PRIMARY KEY,
        org_id uuid NOT NULL REFERENCES orgs ON DELETE CASCADE,
        name text NOT NULL,
        description text,
        owner_type text NOT NULL CHECK (owner_type IN ('user', 'agent')),
        owner_id uuid NOT NULL,
        agent_ids uuid[] NOT NULL DEFAULT '{}',
        settings jsonb NOT NULL,
        columns jsonb NOT NULL,
        indexes jsonb NOT NULL,
        uniques jsonb NOT NULL,
        charts jsonb NOT NULL DEFAULT '[]',
        status text NOT NULL DEFAULT 'ready' CHECK (status IN ('ready', 'building')),
        version bigint NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (org_id, owner_type, owner_id, name)
      );
      ALTER TABLE org_api_keys ADD FOREIGN KEY (collection_id) REFERENCES collections ON DELETE CASCADE;

      -- Events that belong to no organization; each organization's own log lives in its schema, in the same shape.
      CREATE TABLE audit_events (${AUDIT_COLUMNS});
      CREATE INDEX audit_events_type ON audit_events (type, id);

      -- Everything a record write touches lives in the organization's schema: records, audit log, slot counters.
      CREATE FUNCTION create_org_schema(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      DECLARE
        name text := 'org_' || replace(org_id::text, '-', '');
      BEGIN
        EXECUTE format('CREATE SCHEMA %I', name);
        EXECUTE format('CREATE TABLE %I.audit_events (${AUDIT_COLUMNS})', name);
        EXECUTE format('CREATE INDEX audit_events_type ON %I.audit_events (type, id)', name);
        EXECUTE format('CREATE INDEX audit_events_target ON %I.audit_events ((target->>''id''), id)', name);
        EXECUTE format('CREATE TABLE %I.record_slots (
          collection_id uuid PRIMARY KEY,
          epoch bigint NOT NULL DEFAULT 1,
          counted bigint NOT NULL,
          granted bigint NOT NULL DEFAULT 0)', name);
        -- True while the slots granted in this epoch are still good. Its query runs after the lock was taken, with a
        -- snapshot of its own (a volatile function), so a recount that was waited for is seen.
        EXECUTE format('CREATE FUNCTION %1$I.slots_hold(collection uuid, in_epoch bigint) RETURNS boolean
          LANGUAGE plpgsql VOLATILE AS $f$
          BEGIN
            PERFORM pg_advisory_xact_lock_shared(hashtextextended(collection::text, 1));
            RETURN EXISTS (SELECT FROM %1$I.record_slots WHERE collection_id = collection AND epoch = in_epoch);
          END $f$', name);
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DO $$ DECLARE name text; BEGIN
        FOR name IN SELECT nspname FROM pg_namespace WHERE nspname ~ '^org_[0-9a-f]{32}$' LOOP
          EXECUTE format('DROP SCHEMA %I CASCADE', name);
        END LOOP;
      END $$;
      DROP FUNCTION create_org_schema;
      DROP TABLE audit_events;
      DROP TABLE collections CASCADE;
    `);
  }
}
