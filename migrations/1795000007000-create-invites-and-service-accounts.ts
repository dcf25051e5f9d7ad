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
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE org_invites');
  }
}
