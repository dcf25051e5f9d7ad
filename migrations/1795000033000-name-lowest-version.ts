import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The lowest version of the service that may run on this database. A migration that an earlier version cannot run beside
 * raises it; instances of that version then leave, and do not start again.
 */
export class NameLowestVersion1795000033000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE service_versions (
        lowest text NOT NULL,
        -- One row at most.
        single boolean PRIMARY KEY DEFAULT true CHECK (single)
      );
      INSERT INTO service_versions (lowest) VALUES ('1.0.0');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE service_versions');
  }
}
