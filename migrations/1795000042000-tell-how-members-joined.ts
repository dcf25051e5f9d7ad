import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Memberships that came by anonymous login or by the sign-up of an application, and the settings of that sign-up.
 * Members who are anonymous now have joined anonymously.
 */
export class TellHowMembersJoined1795000042000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE org_memberships ADD COLUMN IF NOT EXISTS via text CHECK (via IN ('anonymous', 'signUp'));
      ALTER TABLE org_removals ADD COLUMN IF NOT EXISTS via text;
      ALTER TABLE orgs ADD COLUMN IF NOT EXISTS sign_up jsonb;
      UPDATE org_memberships m SET via = 'anonymous' FROM users u WHERE u.id = m.user_id AND u.anonymous;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE orgs DROP COLUMN IF EXISTS sign_up;
      ALTER TABLE org_removals DROP COLUMN IF EXISTS via;
      ALTER TABLE org_memberships DROP COLUMN IF EXISTS via;
    `);
  }
}
