import type { QueryRunner } from 'typeorm';

/** Rows of one slice: few enough that nobody notices their locks. */
const SLICE = 1_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** An index that a migration adds to a table in use. */
export interface AddedIndex {
  readonly schema?: string;
  readonly name: string;
  readonly table: string;
  /** What follows the table: `(org_id, name) WHERE …`. */
  readonly keys: string;
  readonly unique?: boolean;
}

/**
 * Creates an index while others write to its table; only for migrations with `transaction = false`. Can be repeated:
 * replaces what an attempt before has not finished.
 */
export async function addIndex(runner: QueryRunner, index: AddedIndex): Promise<void> {
  const { schema = 'public', name, table, keys, unique = false } = index;
  const [found] = await runner.query(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [`${schema}.${name}`],
  );
  if (found?.valid) return;
  if (found !== undefined) await withoutLockTimeout(runner, `DROP INDEX CONCURRENTLY ${schema}.${name}`);
  const create = (how: string) =>
    `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${how}${name} ON ${schema}.${table} ${keys}`;
  const [{ filled }] = await runner.query(`SELECT EXISTS (SELECT FROM ${schema}.${table}) AS filled`);
  if (filled) await withoutLockTimeout(runner, create('CONCURRENTLY '));
  else await runner.query(create(''));
}

/** A concurrent statement may wait for its locks as long as it must, because no request waits behind it. */
async function withoutLockTimeout(runner: QueryRunner, statement: string): Promise<void> {
  await runner.query('SET lock_timeout = 0');
  try {
    await runner.query(statement);
  } finally {
    await runner.query('RESET lock_timeout');
  }
}

/**
 * Changes the rows that belong to the ids of a table, some at a time, each time in a transaction of its own. `change` is
 * a data-modifying statement that uses the ids of `slice`.
 */
export async function inSlices(runner: QueryRunner, table: string, change: string): Promise<void> {
  for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
    const [last]: { id: string }[] = await runner.query(
      `WITH slice AS MATERIALIZED (SELECT id FROM ${table} WHERE id > $1 ORDER BY id LIMIT ${SLICE}),
       changed AS (${change})
       SELECT id FROM slice ORDER BY id DESC LIMIT 1`,
      [after],
    );
    after = last?.id;
  }
}
