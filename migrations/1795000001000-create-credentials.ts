import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateCredentials1795000001000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE signing_keys (
        kid text PRIMARY KEY,
        algorithm text NOT NULL,
        state text NOT NULL CHECK (state IN ('next', 'active', 'rotated')),
        public_jwk jsonb NOT NULL,
        sealed_private_jwk text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        activated_at timestamptz,
        rotated_at timestamptz
      );
      CREATE UNIQUE INDEX signing_keys_one_active ON signing_keys (state) WHERE state = 'active';

      CREATE TABLE sessions (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        client_id text NOT NULL,
        active_org_slug text,
        ip text,
        user_agent text,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        revoked_at timestamptz
      );
      CREATE INDEX sessions_user ON sessions (user_id);
      CREATE INDEX sessions_expiry ON sessions (expires_at);

      CREATE TABLE access_tokens (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        name text NOT NULL,
        secret_hash text NOT NULL UNIQUE,
        prefix text NOT NULL,
        active_org_slug text,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX access_tokens_user ON access_tokens (user_id);
      CREATE INDEX access_tokens_expiry ON access_tokens (expires_at);

      CREATE TABLE web_session_tickets (
        secret_hash text PRIMARY KEY,
        session_id uuid NOT NULL REFERENCES sessions ON DELETE CASCADE,
        redirect text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        burned_at timestamptz
      );

      CREATE TABLE job_runs (
        name text PRIMARY KEY,
        started_at timestamptz NOT NULL,
        finished_at timestamptz,
        counts jsonb
      );

      -- One channel tells every instance what its caches may no longer believe. Statement triggers, so that rows
      -- changed by hand count too; columns that change with every use (last_used_at) are left out.
      CREATE FUNCTION notify_platform_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('platform_changes', TG_ARGV[0]);
        RETURN NULL;
      END $$;

      CREATE TRIGGER users_changed AFTER DELETE OR UPDATE OF status, email ON users
        EXECUTE FUNCTION notify_platform_change('credentials');
      CREATE TRIGGER orgs_changed AFTER DELETE OR UPDATE OF name, deleted_at ON orgs
        EXECUTE FUNCTION notify_platform_change('credentials');
      CREATE TRIGGER org_roles_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON org_roles
        EXECUTE FUNCTION notify_platform_change('credentials');
      CREATE TRIGGER org_memberships_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON org_memberships
        EXECUTE FUNCTION notify_platform_change('credentials');
      CREATE TRIGGER org_group_members_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON org_group_members
        EXECUTE FUNCTION notify_platform_change('credentials');
      CREATE TRIGGER org_api_keys_changed
        AFTER DELETE OR TRUNCATE OR UPDATE OF permissions, scopes, secret_hash, previous_secret_hash,
          previous_valid_until, expires_at, disabled, ip_allow_list, name ON org_api_keys
        EXECUTE FUNCTION notify_platform_change('credentials');
      CREATE TRIGGER sessions_changed AFTER DELETE OR TRUNCATE OR UPDATE OF active_org_slug, expires_at, revoked_at ON sessions
        EXECUTE FUNCTION notify_platform_change('credentials');
      CREATE TRIGGER access_tokens_changed AFTER DELETE OR TRUNCATE OR UPDATE OF expires_at ON access_tokens
        EXECUTE FUNCTION notify_platform_change('credentials');
      CREATE TRIGGER signing_keys_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON signing_keys
        EXECUTE FUNCTION notify_platform_change('signing-keys');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE job_runs, web_session_tickets, access_tokens, sessions, signing_keys;
      DROP FUNCTION notify_platform_change CASCADE;
    `);
  }
}
