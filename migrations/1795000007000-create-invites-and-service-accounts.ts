import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateInvitesAndServiceAccounts1795000007000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE org_invites (
        id uuid PRIMARY KEY,
        org_id uuid NOT NULL REFERENCES orgs ON DELETE CASCADE,
        -- Null: only a verified e-mail address claims it.
        code_hash text UNIQUE,
        email text,
        role_slug text NOT NULL,
        groups text[] NOT NULL DEFAULT '{}',
        max_uses integer NOT NULL CHECK (max_uses > 0),
        uses integer NOT NULL DEFAULT 0 CHECK (uses BETWEEN 0 AND max_uses),
        expires_at timestamptz,
        invited_by uuid REFERENCES users ON DELETE CASCADE,
        created_at timestamptz NOT NULL DEFAULT now(),
        CHECK (code_hash IS NOT NULL OR email IS NOT NULL),
        CHECK (email IS NULL OR max_uses = 1)
      );
      CREATE UNIQUE INDEX org_invites_open_email ON org_invites (lower(email), org_id) WHERE uses = 0;
      CREATE INDEX org_invites_org ON org_invites (org_id, id);
      CREATE INDEX org_invites_inviter ON org_invites (invited_by);

      CREATE TABLE service_accounts (
        id uuid PRIMARY KEY,
        org_id uuid NOT NULL REFERENCES orgs ON DELETE CASCADE,
        slug text NOT NULL,
        name text NOT NULL,
        permissions text[] NOT NULL DEFAULT '{}',
        scopes text[] NOT NULL DEFAULT '{}',
        secret_hash text NOT NULL UNIQUE,
        prefix text NOT NULL,
        disabled boolean NOT NULL DEFAULT false,
        created_by uuid,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz,
        UNIQUE (org_id, slug)
      );

      -- A session is a person's or a service account's.
      ALTER TABLE sessions
        ALTER COLUMN user_id DROP NOT NULL,
        ADD COLUMN service_account_id uuid REFERENCES service_accounts ON DELETE CASCADE,
        ADD CHECK (num_nonnulls(user_id, service_account_id) = 1);
      CREATE INDEX sessions_service_account ON sessions (service_account_id) WHERE service_account_id IS NOT NULL;

      -- With another secret, or disabled, an account has no tokens any more: whoever changes it, also by hand.
      CREATE FUNCTION end_service_account_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE public.sessions SET revoked_at = now() WHERE service_account_id = NEW.id AND revoked_at IS NULL;
        RETURN NULL;
      END $$;
      CREATE TRIGGER service_accounts_ended AFTER UPDATE OF secret_hash, disabled ON service_accounts
        FOR EACH ROW WHEN (OLD.secret_hash <> NEW.secret_hash OR NEW.disabled)
        EXECUTE FUNCTION end_service_account_sessions();
      CREATE TRIGGER service_accounts_changed
        AFTER DELETE OR TRUNCATE OR UPDATE OF permissions, scopes, secret_hash, disabled ON service_accounts
        EXECUTE FUNCTION notify_platform_change('credentials');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM sessions WHERE user_id IS NULL;
      ALTER TABLE sessions DROP COLUMN service_account_id, ALTER COLUMN user_id SET NOT NULL;
      DROP TABLE service_accounts, org_invites;
      DROP FUNCTION end_service_account_sessions;
    `);
  }
}
