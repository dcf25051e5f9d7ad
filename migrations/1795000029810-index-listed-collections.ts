import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addIndex } from './steps/online-steps.js';

const INDEXES = {
  collections_by_id: '(org_id, id)',
  collections_by_name: '(org_id, name COLLATE "C", id)',
  collections_by_creation: '(org_id, created_at, id)',
  collections_by_update: '(org_id, updated_at, id)',
};

/** Indexes for each order of the list of an organization's collections. The first one also counts them. */
export class IndexListedCollections1795000029810 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, keys] of Object.entries(INDEXES))
      await addIndex(runner, { name, table: 'collections', keys: `${keys} WHERE deleted_at IS NULL` });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX IF EXISTS ${Object.keys(INDEXES).join(', ')}`);
  }
}
