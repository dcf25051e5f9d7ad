import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAiUsage1795000019000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE ai_usage (
        org_id uuid PRIMARY KEY REFERENCES orgs ON DELETE CASCADE,
        day date NOT NULL,
        tokens bigint NOT NULL,
        microcents bigint NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE ai_usage');
  }
}
