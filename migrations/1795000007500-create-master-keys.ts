import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateMasterKeys1795000007500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE master_keys (
        name text PRIMARY KEY,
        sealed_pepper text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE master_keys');
  }
}
