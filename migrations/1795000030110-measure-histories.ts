import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps for each collection how much space its history takes, as the job that removes old versions has measured it. */
export class MeasureHistories1795000030110 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE collections ADD COLUMN history_bytes bigint NOT NULL DEFAULT 0;
      CREATE INDEX collections_history_bytes ON collections (history_bytes DESC) INCLUDE (id) WHERE history_bytes > 0;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE collections DROP COLUMN history_bytes');
  }
}
