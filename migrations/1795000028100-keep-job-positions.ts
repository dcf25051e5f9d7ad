import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A job that goes through all organizations or collections continues after the one that its last run reached. */
export class KeepJobPositions1795000028100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE job_positions (job text PRIMARY KEY, after uuid NOT NULL)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE job_positions');
  }
}
