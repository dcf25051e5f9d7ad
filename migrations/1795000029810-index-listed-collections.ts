import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes for each order of the list of an organization's collections. The first one also counts them. */
export class IndexListedCollections1795000029810 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX collections_by_id ON collections (org_id, id) WHERE deleted_at IS NULL;
      CREATE INDEX collections_by_name ON collections (org_id, name COLLATE "C", id) WHERE deleted_at IS NULL;
      CREATE INDEX collections_by_creation ON collections (org_id, created_at, id) WHERE deleted_at IS NULL;
      CREATE INDEX collections_by_update ON collections (org_id, updated_at, id) WHERE deleted_at IS NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP INDEX collections_by_id, collections_by_name, collections_by_creation, collections_by_update',
    );
  }
}
