import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateFederatedIdentities1795000009000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- The issuer is part of the key: a provider whose issuer is changed starts with no identities. The user is
      -- looked for after the identity is taken, so that of many first logins at once one makes the account.
      CREATE TABLE federated_identities (
        provider_id text NOT NULL,
        issuer text NOT NULL,
        subject text NOT NULL,
        user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (provider_id, issuer, subject)
      );
      CREATE INDEX federated_identities_user ON federated_identities (user_id);

      CREATE TABLE exchanged_tokens (
        token_hash text PRIMARY KEY,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX exchanged_tokens_expiry ON exchanged_tokens (expires_at);

      -- Every login asks which organizations let the domain of its e-mail address join.
      CREATE INDEX orgs_join_rules ON orgs USING gin (join_rules jsonb_path_ops);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX orgs_join_rules;
      DROP TABLE exchanged_tokens, federated_identities;
    `);
  }
}
