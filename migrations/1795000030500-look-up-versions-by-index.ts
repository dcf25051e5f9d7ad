import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Functions per transaction, because the number of PostgreSQL's locks is limited to some thousands. */
const BATCH = 500;

/**
 * The triggers of tables of records no longer plan to read a whole table, as functions made from now on. Such a plan, made
 * while the table of versions was small, was kept while the table grew. Every step can be repeated.
 */
export class LookUpVersionsByIndex1795000030500 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await alterFunctions(runner, 'SET enable_seqscan = off');
  }

  async down(runner: QueryRunner): Promise<void> {
    await alterFunctions(runner, 'RESET enable_seqscan');
  }
}

async function alterFunctions(runner: QueryRunner, change: string): Promise<void> {
  const functions: { name: string }[] = await runner.query(`
    SELECT p.oid::regprocedure::text AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname ~ '^org_[0-9a-f]{32}$' AND p.proname ~ '^(keep|follow)_[0-9a-f]{32}$'`);
  for (let at = 0; at < functions.length; at += BATCH) {
    const batch = functions.slice(at, at + BATCH);
    await runner.query(batch.map(({ name }) => `ALTER FUNCTION ${name} ${change};`).join('\n'));
  }
}
