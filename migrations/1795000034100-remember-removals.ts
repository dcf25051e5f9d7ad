import type { MigrationInterface, QueryRunner } from 'typeorm';

/** People who left an organization or were removed from it. Its join rules do not apply to them. */
export class RememberRemovals1795000034100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE IF NOT EXISTS org_removals (
        org_id uuid NOT NULL REFERENCES orgs ON DELETE CASCADE,
        user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        removed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (org_id, user_id)
      );
      CREATE INDEX IF NOT EXISTS org_removals_user ON org_removals (user_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS org_removals');
  }
}
