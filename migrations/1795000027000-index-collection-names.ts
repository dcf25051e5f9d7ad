import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Looks up a collection by its name in the organization, whichever user owns it. */
export class IndexCollectionNames1795000027000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX collections_name ON collections (org_id, name)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX collections_name');
  }
}
