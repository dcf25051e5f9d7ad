import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Collections are looked up by name in their organization, whoever owns them. */
export class IndexCollectionNames1795000027000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX collections_name ON collections (org_id, name)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX collections_name');
  }
}
