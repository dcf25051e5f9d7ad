import type { MigrationInterface, QueryRunner } from 'typeorm';
import { inSlices } from './steps/online-steps.js';

/**
 * The organization that created an account by an invitation or by its own identity provider. Only this organization may
 * make a recovery link for the account. An existing account gets one if all of this is true: it has joined one
 * organization, in the transaction that created the account, and no identity that anybody else controls leads to it.
 * Every step can be repeated.
 */
export class RememberHomeOrganizations1795000030700 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE users ADD COLUMN IF NOT EXISTS home_org_id uuid REFERENCES orgs ON DELETE SET NULL',
    );
    // created_at is the start of the transaction, joined_at the time of the statement.
    await inSlices(
      runner,
      'users',
      `UPDATE users u SET home_org_id = m.org_id
       FROM org_memberships m
       WHERE u.id IN (SELECT id FROM slice) AND u.home_org_id IS NULL
         AND m.user_id = u.id AND NOT u.anonymous AND m.joined_at < u.created_at + interval '1 minute'
         AND NOT EXISTS (SELECT FROM org_memberships o WHERE o.user_id = u.id AND o.org_id <> m.org_id)
         AND NOT EXISTS (
           SELECT FROM federated_identities f
           WHERE f.user_id = u.id AND NOT EXISTS (
             SELECT FROM sso_providers p WHERE p.org_id = m.org_id AND p.id::text = split_part(f.provider_id, ' ', 1)))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users DROP COLUMN IF EXISTS home_org_id');
  }
}
