import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Most collections hold no record that expires. Reads of these need not compare the expiry of each record with
 * the clock.
 */
export class MarkCollectionsWhoseRecordsExpire1795000012000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Whether existing collections hold such records is unknown, so all of them are marked.
    await runner.query('ALTER TABLE collections ADD COLUMN may_expire boolean NOT NULL DEFAULT true');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE collections DROP COLUMN may_expire');
  }
}
