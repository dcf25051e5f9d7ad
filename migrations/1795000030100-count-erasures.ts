import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counts how often records of the collection of a webhook were erased. An instance that has read changes before an
 * erasure then stores no message with them.
 */
export class CountErasures1795000030100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhooks ADD COLUMN erasures integer NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhooks DROP COLUMN erasures');
  }
}
