import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateWorkspaces1795000006000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE workspaces (
        id uuid PRIMARY KEY,
        org_id uuid NOT NULL REFERENCES orgs ON DELETE CASCADE,
        slug text NOT NULL,
        name text NOT NULL,
        description text,
        roles jsonb NOT NULL DEFAULT '{}',
        rules jsonb NOT NULL DEFAULT '[]',
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (org_id, slug),
        UNIQUE (id, org_id)
      );

      CREATE TABLE workspace_collaborators (
        workspace_id uuid NOT NULL,
        user_id uuid NOT NULL,
        org_id uuid NOT NULL,
        role text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (workspace_id, user_id),
        FOREIGN KEY (workspace_id, org_id) REFERENCES workspaces (id, org_id) ON DELETE CASCADE,
        -- Who leaves the organization works in none of its workspaces any more.
        FOREIGN KEY (org_id, user_id) REFERENCES org_memberships ON DELETE CASCADE
      );
      CREATE INDEX workspace_collaborators_member ON workspace_collaborators (org_id, user_id);

      CREATE TABLE workspace_api_keys (
        id uuid PRIMARY KEY,
        workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
        name text NOT NULL,
        rules jsonb NOT NULL,
        secret_hash text NOT NULL UNIQUE,
        prefix text NOT NULL,
        created_by uuid,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz
      );
      CREATE INDEX workspace_api_keys_workspace ON workspace_api_keys (workspace_id);

      CREATE TRIGGER workspace_api_keys_changed
        AFTER DELETE OR TRUNCATE OR UPDATE OF workspace_id, rules, secret_hash ON workspace_api_keys
        EXECUTE FUNCTION notify_platform_change('credentials');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE workspace_api_keys, workspace_collaborators, workspaces');
  }
}
