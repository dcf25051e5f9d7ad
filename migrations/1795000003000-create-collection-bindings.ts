import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateCollectionBindings1795000003000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE collection_bindings (
        id uuid PRIMARY KEY,
        collection_id uuid NOT NULL REFERENCES collections ON DELETE CASCADE,
        org_id uuid NOT NULL REFERENCES orgs ON DELETE CASCADE,
        principal_type text NOT NULL CHECK (principal_type IN ('user', 'group', 'org')),
        user_id uuid CHECK ((principal_type = 'user') = (user_id IS NOT NULL)),
        group_slug text CHECK ((principal_type = 'group') = (group_slug IS NOT NULL)),
        role text NOT NULL CHECK (role IN ('reader', 'editor', 'admin')),
        created_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE NULLS NOT DISTINCT (collection_id, principal_type, user_id, group_slug),
        -- Who leaves the organization, and a group that is deleted, take what was shared with them along.
        FOREIGN KEY (org_id, user_id) REFERENCES org_memberships ON DELETE CASCADE,
        FOREIGN KEY (org_id, group_slug) REFERENCES org_groups ON DELETE CASCADE
      );
      CREATE INDEX collection_bindings_user ON collection_bindings (org_id, user_id) WHERE user_id IS NOT NULL;
      CREATE INDEX collection_bindings_group ON collection_bindings (org_id, group_slug) WHERE group_slug IS NOT NULL;
      CREATE INDEX collection_bindings_org ON collection_bindings (org_id) WHERE principal_type = 'org';

      -- Bindings are remembered with their collection, and its version tells every instance that they changed:
      -- whoever changes them, also by hand or by the foreign keys above.
      CREATE FUNCTION bump_bound_collections() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE public.collections SET version = version + 1 WHERE id IN (SELECT collection_id FROM changed);
        RETURN NULL;
      END $$;
      CREATE TRIGGER collection_bindings_inserted AFTER INSERT ON collection_bindings
        REFERENCING NEW TABLE AS changed EXECUTE FUNCTION bump_bound_collections();
      CREATE TRIGGER collection_bindings_updated AFTER UPDATE ON collection_bindings
        REFERENCING NEW TABLE AS changed EXECUTE FUNCTION bump_bound_collections();
      CREATE TRIGGER collection_bindings_deleted AFTER DELETE ON collection_bindings
        REFERENCING OLD TABLE AS changed EXECUTE FUNCTION bump_bound_collections();

      -- Whoever changes a binding locks its collection first; so does what the foreign keys above delete, or both
      -- would wait for each other.
      CREATE FUNCTION lock_bound_collections() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM FROM public.collections WHERE id IN (
          SELECT collection_id FROM public.collection_bindings WHERE org_id = OLD.org_id
            AND (user_id = (to_jsonb(OLD)->>'user_id')::uuid OR group_slug = to_jsonb(OLD)->>'slug')
        ) ORDER BY id FOR NO KEY UPDATE;
        RETURN OLD;
      END $$;
      CREATE TRIGGER org_memberships_bound BEFORE DELETE ON org_memberships
        FOR EACH ROW EXECUTE FUNCTION lock_bound_collections();
      CREATE TRIGGER org_groups_bound BEFORE DELETE ON org_groups
        FOR EACH ROW EXECUTE FUNCTION lock_bound_collections();

      -- Whoever acts for an agent is remembered as it.
      CREATE TRIGGER agents_changed AFTER DELETE OR TRUNCATE ON agents
        EXECUTE FUNCTION notify_platform_change('credentials');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER agents_changed ON agents;
      DROP TABLE collection_bindings;
      DROP FUNCTION bump_bound_collections;
      DROP FUNCTION lock_bound_collections CASCADE;
    `);
  }
}
