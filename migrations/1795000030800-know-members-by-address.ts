import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSlices } from './steps/online-steps.js';

/**
 * The unproven e-mail addresses by which organizations know their members. For present members it is set only where no
 * other organization can have given the address: the account has no identity at a provider, and joined its only
 * organization when it was created. Every step can be repeated.
 */
export class KnowMembersByAddress1795000030800 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE org_memberships ADD COLUMN IF NOT EXISTS known_email text');
    await inSlices(
      runner,
      'users',
      `UPDATE org_memberships m SET known_email = u.email FROM users u
       WHERE u.id IN (SELECT id FROM slice) AND u.id = m.user_id AND u.email IS NOT NULL AND NOT u.email_verified
         AND m.known_email IS NULL AND m.joined_at < u.created_at + interval '1 minute'
         AND NOT EXISTS (SELECT FROM org_memberships o WHERE o.user_id = u.id AND o.org_id <> m.org_id)
         AND NOT EXISTS (SELECT FROM federated_identities f WHERE f.user_id = u.id)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE org_memberships DROP COLUMN IF EXISTS known_email');
  }
}
