import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Identity providers get redirect URIs of their own. Those that exist keep the shared one, which is registered there. */
export class GiveProvidersRedirectUris1795000039300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE sso_providers ADD COLUMN IF NOT EXISTS own_redirect_uri boolean NOT NULL DEFAULT false',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sso_providers DROP COLUMN IF EXISTS own_redirect_uri');
  }
}
