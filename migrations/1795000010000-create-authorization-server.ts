import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAuthorizationServer1795000010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE oidc_payloads (
        id_hash text PRIMARY KEY,
        kind text NOT NULL,
        -- Sealed: what is inside would let a reader of the database go on with somebody's sign-in.
        payload text NOT NULL,
        -- A grant is a session: what it gave ends with it.
        grant_id uuid REFERENCES sessions ON DELETE CASCADE,
        uid_hash text,
        expires_at timestamptz NOT NULL,
        consumed_at timestamptz
      );
      CREATE INDEX oidc_payloads_grant ON oidc_payloads (grant_id) WHERE grant_id IS NOT NULL;
      CREATE INDEX oidc_payloads_uid ON oidc_payloads (uid_hash) WHERE uid_hash IS NOT NULL;
      CREATE INDEX oidc_payloads_expiry ON oidc_payloads (expires_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE oidc_payloads;
      DELETE FROM sessions WHERE user_id IS NOT NULL AND client_id <> 'platform';
    `);
  }
}
