import type { QueryRunner } from 'typeorm';

const IS_ORG_SCHEMA = `nspname ~ '^org_[0-9a-f]{32}$'`;

/** Organizations per transaction. Each takes up to twelve of PostgreSQL's locks, whose number is limited to some thousands. */
const BATCH = 100;

/** The schemas of all organizations. */
export async function orgSchemas(runner: QueryRunner): Promise<string[]> {
  const rows: { nspname: string }[] = await runner.query(
    `SELECT nspname FROM pg_namespace WHERE ${IS_ORG_SCHEMA} ORDER BY nspname`,
  );
  return rows.map(({ nspname }) => nspname);
}

/**
 * Calls a function of the database with the id of each organization; with `which`, of those whose schema lacks a table or
 * has it, which the function must change.
 */
export async function inEveryOrg(
  runner: QueryRunner,
  call: string,
  which?: { readonly lacks: string } | { readonly has: string },
): Promise<void> {
  const pending =
    which === undefined
      ? 'true'
      : 'lacks' in which
        ? `to_regclass(nspname || '.${which.lacks}') IS NULL`
        : `to_regclass(nspname || '.${which.has}') IS NOT NULL`;
  for (let last: string | undefined = ''; last !== undefined; ) {
    const done: { nspname: string }[] = await runner.query(
      `SELECT nspname, ${call}(substr(nspname, 5)::uuid) FROM (
         SELECT nspname FROM pg_namespace WHERE ${IS_ORG_SCHEMA} AND nspname > $1 AND ${pending}
         ORDER BY nspname LIMIT ${BATCH}) AS batch`,
      // The organizations of the batch before are no longer pending. Another one may be new.
      [which === undefined ? last : ''],
    );
    last = done.at(-1)?.nspname;
  }
}

/** Lets `create_org_schema` call `call` too. It keeps what it did before under the name `before`. */
export async function extendOrgSchema(runner: QueryRunner, before: string, call: string): Promise<void> {
  await runner.query(`
    DO $$ BEGIN
      IF to_regprocedure('${before}(uuid)') IS NULL THEN
        ALTER FUNCTION create_org_schema(uuid) RENAME TO ${before};
      END IF;
    END $$;
    CREATE OR REPLACE FUNCTION create_org_schema(org_id uuid) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM ${before}(org_id);
        PERFORM ${call}(org_id);
      END $$;
  `);
}

/** Lets `create_org_schema` do again what it did before. */
export async function reduceOrgSchema(runner: QueryRunner, before: string): Promise<void> {
  await runner.query(`
    DO $$ BEGIN
      IF to_regprocedure('${before}(uuid)') IS NOT NULL THEN
        DROP FUNCTION create_org_schema(uuid);
        ALTER FUNCTION ${before}(uuid) RENAME TO create_org_schema;
      END IF;
    END $$;
  `);
}
