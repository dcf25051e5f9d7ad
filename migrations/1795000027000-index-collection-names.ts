import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addIndex } from './steps/online-steps.js';

/** Looks up a collection by its name in the organization, whichever user owns it. */
export class IndexCollectionNames1795000027000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await addIndex(runner, { name: 'collections_name', table: 'collections', keys: '(org_id, name)' });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX IF EXISTS collections_name');
  }
}
