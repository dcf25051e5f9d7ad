import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages per statement. Their payloads, of about 256 KiB at most as a rule, are read one after the other. */
const BATCH = 500;

/**
 * Stores which records the messages of webhooks contain, so that the erasure of a record finds its messages by an index.
 * This is a table of its own, because a message is updated with each attempt, and each update would write the index
 * again. Every step can be repeated.
 */
export class NameRecordsOfMessages1795000030900 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE IF NOT EXISTS webhook_delivery_records (
        delivery_id uuid PRIMARY KEY REFERENCES webhook_deliveries ON DELETE CASCADE,
        record_ids uuid[] NOT NULL
      )`);
    for (let after: string | undefined = NO_ID; after !== undefined; )
      after = await this.nameAfter(runner, after);
    await runner.query(`
      CREATE INDEX IF NOT EXISTS webhook_delivery_records_ids ON webhook_delivery_records USING gin (record_ids)`);
  }

  /** Handles the messages after an id. Returns the id of the last one. */
  private async nameAfter(runner: QueryRunner, after: string): Promise<string | undefined> {
    const [{ last }]: [{ last: string | null }] = await runner.query(
      `WITH batch AS MATERIALIZED (
         SELECT id, payload FROM webhook_deliveries WHERE id > $1 ORDER BY id LIMIT ${BATCH}),
       named AS (
         INSERT INTO webhook_delivery_records (delivery_id, record_ids)
         SELECT b.id, array_agg(DISTINCT (c.value ->> 'record_id')::uuid)
         FROM batch b, json_array_elements(b.payload::json #> '{data,changes}') c GROUP BY b.id
         ON CONFLICT DO NOTHING)
       SELECT id AS last FROM batch UNION ALL SELECT NULL ORDER BY last DESC NULLS LAST LIMIT 1`,
      [after],
    );
    return last ?? undefined;
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE IF EXISTS webhook_delivery_records');
  }
}

const NO_ID = '00000000-0000-0000-0000-000000000000';
