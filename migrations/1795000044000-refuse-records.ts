import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A function with which a statement refuses records that no rule of its caller allows. 1.1.0 does not call it. */
export class RefuseRecords1795000044000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION public.refuse_records(ids text) RETURNS boolean
      LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1 AS $$
      BEGIN
        RAISE EXCEPTION 'the rules of the caller do not allow these records' USING ERRCODE = 'TC003', DETAIL = ids;
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION public.refuse_records(text)');
  }
}
