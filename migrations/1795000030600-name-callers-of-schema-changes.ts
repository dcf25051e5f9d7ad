import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who asked for a change of a schema, so that its audit event names them even when another instance finishes it. */
export class NameCallersOfSchemaChanges1795000030600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE schema_changes ADD COLUMN call jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE schema_changes DROP COLUMN call');
  }
}
