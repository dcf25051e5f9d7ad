import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Most collections hold no record that ever expires: their records need no look at the clock each. */
export class MarkCollectionsWhoseRecordsExpire1795000012000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Of those that are there already nobody knows.
    await runner.query('ALTER TABLE collections ADD COLUMN may_expire boolean NOT NULL DEFAULT true');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE collections DROP COLUMN may_expire');
  }
}
