import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSsoProviders1795000008000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Every slug that a provider ever had: people and clients would take its successor for the same provider.
      CREATE TABLE sso_provider_slugs (slug text PRIMARY KEY);

      CREATE TABLE sso_providers (
        id uuid PRIMARY KEY,
        org_id uuid NOT NULL REFERENCES orgs ON DELETE CASCADE,
        slug text NOT NULL UNIQUE REFERENCES sso_provider_slugs,
        name text NOT NULL,
        icon text,
        config jsonb NOT NULL,
        sealed_secret text,
        attributes_mapping jsonb NOT NULL,
        domains text[] NOT NULL DEFAULT '{}',
        default_role text,
        enabled boolean NOT NULL DEFAULT true,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX sso_providers_org ON sso_providers (org_id, id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE sso_providers, sso_provider_slugs');
  }
}
