import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addIndex } from './steps/online-steps.js';

/** Passkeys of people, the challenges of their ceremonies, and the passkey with which a session began. Every step can be repeated. */
export class CreatePasskeys1795000028700 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE IF NOT EXISTS passkeys (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
        credential_id text NOT NULL UNIQUE,
        public_key bytea NOT NULL,
        sign_count bigint NOT NULL,
        transports text[] NOT NULL DEFAULT '{}',
        name text NOT NULL,
        created_at timestamptz NOT NULL,
        last_used_at timestamptz
      );
      CREATE INDEX IF NOT EXISTS passkeys_user ON passkeys (user_id);

      CREATE TABLE IF NOT EXISTS passkey_challenges (
        challenge text PRIMARY KEY,
        browser_hash text NOT NULL,
        purpose text NOT NULL CHECK (purpose IN ('registration', 'login', 'invitation')),
        user_id uuid,
        invite_id uuid,
        name text,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX IF NOT EXISTS passkey_challenges_expiry ON passkey_challenges (expires_at);
    `);
    await runner.query(
      'ALTER TABLE sessions ADD COLUMN IF NOT EXISTS passkey_id uuid REFERENCES passkeys ON DELETE SET NULL',
    );
    const keys = '(passkey_id) WHERE passkey_id IS NOT NULL';
    await addIndex(runner, { name: 'sessions_passkey', table: 'sessions', keys });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE sessions DROP COLUMN IF EXISTS passkey_id;
      DROP TABLE IF EXISTS passkey_challenges, passkeys;
    `);
  }
}
