import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Saved views of collections. A person who leaves the organization takes the views of their own along. */
export class CreateCollectionViews1795000028600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE collection_views (
        id uuid PRIMARY KEY,
        collection_id uuid NOT NULL REFERENCES collections ON DELETE CASCADE,
        owner text,
        name text NOT NULL,
        filter json NOT NULL,
        sort json NOT NULL,
        fields json,
        columns json,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX collection_views_collection ON collection_views (collection_id, owner);
      CREATE INDEX collection_views_owner ON collection_views (owner) WHERE owner IS NOT NULL;

      CREATE FUNCTION delete_own_views() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        DELETE FROM public.collection_views v USING public.collections c
        WHERE c.id = v.collection_id AND c.org_id = OLD.org_id AND v.owner = 'user:' || OLD.user_id;
        RETURN NULL;
      END $$;
      CREATE TRIGGER org_memberships_views AFTER DELETE ON org_memberships
        FOR EACH ROW EXECUTE FUNCTION delete_own_views();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE collection_views;
      DROP FUNCTION delete_own_views CASCADE;
    `);
  }
}
