import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateRateLimits1795000004000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Attempts of one source address against one limit in the running minute. Unlogged: a counter lost in a crash
      -- costs one minute's patience, and counting writes no WAL. Room in the pages keeps updates off the index.
      CREATE UNLOGGED TABLE rate_limits (
        name text NOT NULL,
        source text NOT NULL,
        attempts integer NOT NULL,
        ends_at timestamptz NOT NULL,
        PRIMARY KEY (name, source)
      ) WITH (fillfactor = 50);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE rate_limits');
  }
}
