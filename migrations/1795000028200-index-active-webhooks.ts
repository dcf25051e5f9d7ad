import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addIndex } from './steps/online-steps.js';

/** The poll for changes reads the active webhooks of one organization after the other. */
export class IndexActiveWebhooks1795000028200 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const keys = `(org_id) WHERE status = 'active'`;
    await addIndex(runner, { name: 'webhooks_active', table: 'webhooks', keys });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX IF EXISTS webhooks_active');
  }
}
