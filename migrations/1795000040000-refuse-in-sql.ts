import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A function with which a statement refuses a value by an SQLSTATE that says why. 1.1.0 does not call it. */
export class RefuseInSql1795000040000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Immutable, because Citus allows nothing else in a CASE of an UPDATE. It takes a value of the record, because
    // PostgreSQL evaluates calls of constants in advance.
    await runner.query(`
      CREATE FUNCTION public.refuse(value anyelement, state text) RETURNS anyelement
      LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1 AS $$
      BEGIN
        RAISE EXCEPTION 'the statement refused a value' USING ERRCODE = state;
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION public.refuse(anyelement, text)');
  }
}
