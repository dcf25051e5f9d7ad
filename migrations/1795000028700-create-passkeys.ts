import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Passkeys of people, the challenges of their ceremonies, and the passkey with which a session began. */
export class CreatePasskeys1795000028700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE passkeys (
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
      CREATE INDEX passkeys_user ON passkeys (user_id);

      CREATE TABLE passkey_challenges (
        challenge text PRIMARY KEY,
        browser_hash text NOT NULL,
        purpose text NOT NULL CHECK (purpose IN ('registration', 'login', 'invitation')),
        user_id uuid,
        invite_id uuid,
        name text,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX passkey_challenges_expiry ON passkey_challenges (expires_at);

      ALTER TABLE sessions ADD COLUMN passkey_id uuid REFERENCES passkeys ON DELETE SET NULL;
      CREATE INDEX sessions_passkey ON sessions (passkey_id) WHERE passkey_id IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE sessions DROP COLUMN passkey_id;
      DROP TABLE passkey_challenges, passkeys;
    `);
  }
}
