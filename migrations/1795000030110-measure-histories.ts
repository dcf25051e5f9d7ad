import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addIndex } from './steps/online-steps.js';

/** Keeps for each collection how much space its history takes, as the job that removes old versions has measured it. */
export class MeasureHistories1795000030110 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE collections ADD COLUMN IF NOT EXISTS history_bytes bigint NOT NULL DEFAULT 0',
    );
    await addIndex(runner, {
      name: 'collections_history_bytes',
      table: 'collections',
      keys: '(history_bytes DESC) INCLUDE (id) WHERE history_bytes > 0',
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE collections DROP COLUMN IF EXISTS history_bytes');
  }
}
