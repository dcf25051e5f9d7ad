import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One-time sign-in links that an organization makes for a member who has lost every way to sign in. */
export class CreateRecoveryLinks1795000028710 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE recovery_links (
        secret_hash text PRIMARY KEY,
        user_id uuid NOT NULL UNIQUE REFERENCES users ON DELETE CASCADE,
        org_id uuid NOT NULL REFERENCES orgs ON DELETE CASCADE,
        created_by uuid REFERENCES users ON DELETE CASCADE,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX recovery_links_expiry ON recovery_links (expires_at);
      CREATE INDEX recovery_links_org ON recovery_links (org_id);
      CREATE INDEX recovery_links_creator ON recovery_links (created_by);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE recovery_links');
  }
}
