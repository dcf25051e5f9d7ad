import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The unproven e-mail addresses by which organizations know their members. For present members it is set only where no
 * other organization can have given the address: the account has no identity at a provider, and joined its only
 * organization when it was created.
 */
export class KnowMembersByAddress1795000030800 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE org_memberships ADD COLUMN known_email text');
    await runner.query(`
      UPDATE org_memberships m SET known_email = u.email FROM users u
      WHERE u.id = m.user_id AND u.email IS NOT NULL AND NOT u.email_verified
        AND m.joined_at < u.created_at + interval '1 minute'
        AND NOT EXISTS (SELECT FROM org_memberships o WHERE o.user_id = u.id AND o.org_id <> m.org_id)
        AND NOT EXISTS (SELECT FROM federated_identities f WHERE f.user_id = u.id)
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE org_memberships DROP COLUMN known_email');
  }
}
