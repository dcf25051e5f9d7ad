import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Queries that an index would have made faster, counted by day and shape. The table has no values of queries. json
 * instead of jsonb, because the order of the fields of a sort matters.
 */
export class CreateSeenQueries1795000029800 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE seen_queries (
        collection_id uuid NOT NULL REFERENCES collections ON DELETE CASCADE,
        day date NOT NULL,
        shape text NOT NULL,
        index json NOT NULL,
        sample json NOT NULL,
        queries bigint NOT NULL,
        total_ms double precision NOT NULL,
        PRIMARY KEY (collection_id, day, shape)
      );
      CREATE INDEX seen_queries_day ON seen_queries (day);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE seen_queries');
  }
}
