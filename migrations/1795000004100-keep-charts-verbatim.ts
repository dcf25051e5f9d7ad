import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * jsonb sorts the keys of objects; charts are stored as the client sent them (collections contract,
 * `saveCharts`).
 */
export class KeepChartsVerbatim1795000004100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE collections ALTER COLUMN charts DROP DEFAULT;
      ALTER TABLE collections ALTER COLUMN charts TYPE json USING charts::json;
      ALTER TABLE collections ALTER COLUMN charts SET DEFAULT '[]';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE collections ALTER COLUMN charts DROP DEFAULT;
      ALTER TABLE collections ALTER COLUMN charts TYPE jsonb USING charts::jsonb;
      ALTER TABLE collections ALTER COLUMN charts SET DEFAULT '[]';
    `);
  }
}
