import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The poll for changes reads the active webhooks of one organization after the other. */
export class IndexActiveWebhooks1795000028200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX webhooks_active ON webhooks (org_id) WHERE status = 'active'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX webhooks_active');
  }
}
