import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The job that removes expired responses of requests with an Idempotency-Key has another name. */
export class RenameJobPositions1795000028300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `UPDATE job_positions SET job = 'remove-stored-responses' WHERE job = 'remove-kept-answers'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `UPDATE job_positions SET job = 'remove-kept-answers' WHERE job = 'remove-stored-responses'`,
    );
  }
}
