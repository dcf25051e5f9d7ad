import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * From here on, search indexes are on texts whose case is folded. Instances build them beside their requests, because
 * they know the columns (src/engine/storage/table/former-search.ts). The way back drops them, and lets version 1.1.0 build its
 * own.
 */
export class FoldSearchIndexes1795000039200 implements MigrationInterface {
  readonly transaction = false;

  async up(): Promise<void> {}

  async down(runner: QueryRunner): Promise<void> {
    const indexes: { name: string }[] = await runner.query(
      `SELECT i.indexrelid::regclass::text AS name FROM pg_index i
         JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
       WHERE c.relkind IN ('i', 'I') AND c.relname LIKE 'f\\_%' AND t.relname ~ '^[a-z]_[0-9a-f]{32}$'`,
    );
    for (const { name } of indexes) await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    // An instance finishes a build that another one seems to have left.
    await runner.query(
      `UPDATE collections SET status = 'building', version = version + 1
       WHERE status = 'ready' AND indexes @> '[{"kind": "search"}]'`,
    );
  }
}
