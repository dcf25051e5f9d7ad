import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Bindings and keys of collections get rules, fields and limits, and bindings can be for an agent, for anonymous people
 * and for people who signed up. The agents of `collections.agent_ids` become bindings. The version before this one reads
 * and writes that column, so triggers keep it: it lists the agents with an unrestricted binding as editor.
 */
export class GiveGrantsRules1795000043500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE collection_bindings
        ADD COLUMN agent_id uuid REFERENCES agents ON DELETE CASCADE,
        ADD COLUMN rules jsonb,
        ADD COLUMN fields jsonb,
        ADD COLUMN limits jsonb,
        DROP CONSTRAINT collection_bindings_principal_type_check,
        ADD CHECK (principal_type IN ('user', 'group', 'org', 'agent', 'anonymous', 'signup')),
        ADD CHECK ((principal_type = 'agent') = (agent_id IS NOT NULL)),
        DROP CONSTRAINT collection_bindings_collection_id_principal_type_user_id_gr_key,
        ADD CONSTRAINT collection_bindings_principal
          UNIQUE NULLS NOT DISTINCT (collection_id, principal_type, user_id, group_slug, agent_id);
      CREATE INDEX collection_bindings_agent ON collection_bindings (agent_id) WHERE agent_id IS NOT NULL;
      DROP INDEX collection_bindings_org;
      CREATE INDEX collection_bindings_org ON collection_bindings (org_id, principal_type)
        WHERE principal_type IN ('org', 'anonymous', 'signup');
      ALTER TABLE org_api_keys ADD COLUMN rules jsonb, ADD COLUMN fields jsonb, ADD COLUMN limits jsonb;
    `);
    await this.keepAgentIds(runner);
    await this.tellChanges(runner);
    await this.copyAgentIds(runner);
    await this.bindAnonymousPeople(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER users_told_rules ON users;
      DROP TRIGGER org_api_keys_told_rules ON org_api_keys;
      DROP TRIGGER agents_bound ON agents;
      DROP TRIGGER collections_agents_inserted ON collections;
      DROP TRIGGER collections_agents_updated ON collections;
      DROP FUNCTION lock_collections_of_agent, bind_agents;
      CREATE OR REPLACE FUNCTION bump_bound_collections() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE public.collections SET version = version + 1 WHERE id IN (SELECT collection_id FROM changed);
        RETURN NULL;
      END $$;
      -- Without its rules, a binding would reach every record.
      DELETE FROM collection_bindings
        WHERE principal_type IN ('agent', 'anonymous', 'signup') OR rules IS NOT NULL OR fields IS NOT NULL;
      DELETE FROM org_api_keys WHERE rules IS NOT NULL OR fields IS NOT NULL;
      DROP INDEX collection_bindings_org;
      ALTER TABLE collection_bindings
        DROP CONSTRAINT collection_bindings_principal_type_check,
        ADD CHECK (principal_type IN ('user', 'group', 'org')),
        DROP CONSTRAINT collection_bindings_principal,
        ADD CONSTRAINT collection_bindings_collection_id_principal_type_user_id_gr_key
          UNIQUE NULLS NOT DISTINCT (collection_id, principal_type, user_id, group_slug),
        DROP COLUMN agent_id, DROP COLUMN rules, DROP COLUMN fields, DROP COLUMN limits;
      CREATE INDEX collection_bindings_org ON collection_bindings (org_id) WHERE principal_type = 'org';
      ALTER TABLE org_api_keys DROP COLUMN rules, DROP COLUMN fields, DROP COLUMN limits;
    `);
  }

  private async keepAgentIds(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE OR REPLACE FUNCTION bump_bound_collections() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE public.collections c SET version = version + 1, agent_ids = ARRAY(
          SELECT b.agent_id FROM public.collection_bindings b
          WHERE b.collection_id = c.id AND b.principal_type = 'agent'
            AND b.role = 'editor' AND b.rules IS NULL AND b.fields IS NULL
          ORDER BY b.created_at, b.id)
        WHERE c.id IN (SELECT collection_id FROM changed);
        RETURN NULL;
      END $$;

      -- Follows agent_ids as the version before this one writes it. Bindings with rules stay.
      CREATE FUNCTION bind_agents() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        former uuid[] := CASE WHEN TG_OP = 'UPDATE' THEN OLD.agent_ids ELSE '{}' END;
      BEGIN
        INSERT INTO public.collection_bindings (id, collection_id, org_id, principal_type, agent_id, role, created_at)
          SELECT gen_random_uuid(), NEW.id, NEW.org_id, 'agent', a.id, 'editor', clock_timestamp()
          FROM unnest(NEW.agent_ids) WITH ORDINALITY AS n(id, position)
          JOIN public.agents a ON a.id = n.id AND a.org_id = NEW.org_id
          WHERE n.id <> ALL (former) ORDER BY n.position
          ON CONFLICT DO NOTHING;
        DELETE FROM public.collection_bindings WHERE collection_id = NEW.id AND principal_type = 'agent'
          AND agent_id = ANY (former) AND agent_id <> ALL (NEW.agent_ids)
          AND role = 'editor' AND rules IS NULL AND fields IS NULL;
        RETURN NULL;
      END $$;
      CREATE TRIGGER collections_agents_inserted AFTER INSERT ON collections
        FOR EACH ROW WHEN (cardinality(NEW.agent_ids) > 0) EXECUTE FUNCTION bind_agents();
      CREATE TRIGGER collections_agents_updated AFTER UPDATE OF agent_ids ON collections
        FOR EACH ROW WHEN (OLD.agent_ids IS DISTINCT FROM NEW.agent_ids) EXECUTE FUNCTION bind_agents();

      -- As lock_bound_collections, for the bindings that the foreign key of agents deletes.
      CREATE FUNCTION lock_collections_of_agent() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM FROM public.collections WHERE id IN (
          SELECT collection_id FROM public.collection_bindings WHERE agent_id = OLD.id
        ) ORDER BY id FOR NO KEY UPDATE;
        RETURN OLD;
      END $$;
      CREATE TRIGGER agents_bound BEFORE DELETE ON agents
        FOR EACH ROW EXECUTE FUNCTION lock_collections_of_agent();
    `);
  }

  /** What else a remembered credential contains now. */
  private async tellChanges(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TRIGGER users_told_rules AFTER UPDATE ON users REFERENCING OLD TABLE AS before NEW TABLE AS after
        FOR EACH STATEMENT EXECUTE FUNCTION
          tell_changed_rows('permissions.changed', 'id', 'email_verified', 'anonymous');
      CREATE TRIGGER org_api_keys_told_rules AFTER UPDATE ON org_api_keys
        REFERENCING OLD TABLE AS before NEW TABLE AS after
        FOR EACH STATEMENT EXECUTE FUNCTION tell_changed_rows('permissions.changed', 'id', 'rules', 'fields', 'limits');
    `);
  }

  private async copyAgentIds(runner: QueryRunner): Promise<void> {
    await runner.query(`
      INSERT INTO collection_bindings (id, collection_id, org_id, principal_type, agent_id, role, created_at)
        SELECT gen_random_uuid(), c.id, c.org_id, 'agent', a.id, 'editor',
          c.created_at + n.position * interval '1 microsecond'
        FROM collections c, unnest(c.agent_ids) WITH ORDINALITY AS n(id, position)
        JOIN agents a ON a.id = n.id WHERE a.org_id = c.org_id
        ON CONFLICT DO NOTHING
    `);
  }

  /**
   * A binding of the organization does not reach its anonymous members any more: they get one of their own, with as many
   * rights. They cannot administer collections.
   */
  private async bindAnonymousPeople(runner: QueryRunner): Promise<void> {
    await runner.query(`
      INSERT INTO collection_bindings (id, collection_id, org_id, principal_type, role, rules)
        SELECT gen_random_uuid(), b.collection_id, b.org_id, 'anonymous',
          CASE b.role WHEN 'admin' THEN 'editor' ELSE b.role END,
          '{"read": true, "create": true, "update": true, "becomes": true, "delete": true}'
        FROM collection_bindings b JOIN orgs o ON o.id = b.org_id
        WHERE b.principal_type = 'org' AND o.auth->'anonymous'->>'enabled' = 'true'
        ON CONFLICT DO NOTHING
    `);
  }
}
