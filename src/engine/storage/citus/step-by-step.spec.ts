import type { ClientBase } from 'pg';
import { describe, expect, it } from 'vitest';
import { Cte, param, sql } from '../../../base/sql/index.js';
import { PreparedNames } from '../../../platform/database/connections/prepared-names.js';
import { runStepByStep } from './step-by-step.js';

interface Sent {
  readonly text: string;
  readonly values: unknown[];
}

/** A connection that returns these results in turn. Each result has one column of a type. */
function connection(answers: readonly { name: string; type: number; rows: unknown[][] }[]) {
  const sent: Sent[] = [];
  const query = async ({ text, values }: Sent) => {
    const { name, type, rows } = answers[sent.push({ text, values }) - 1]!;
    return { rows, fields: [{ name, dataTypeID: type }] };
  };
  return { sent, client: { query } as unknown as ClientBase };
}

describe('a statement that runs step by step', () => {
  const current = new Cte('version_check', sql`SELECT 1 FROM v WHERE id = ${param('a', 'uuid')}`);
  const input = new Cte(
    'input_rows',
    sql`SELECT r.* FROM ${current}, jsonb_to_recordset(${param('[]', 'jsonb')}) AS r(n int)`,
    {
      computed: true,
    },
  );
  const written = new Cte(
    'written_rows',
    sql`INSERT INTO t SELECT n, ${param(5, 'integer')} FROM ${input} RETURNING _id`,
  );
  const statement = {
    ctes: [current, input, written] as const,
    query: sql`SELECT (SELECT count(*) FROM ${current}), (SELECT count(*) FROM ${written})`,
  };
  const HELD = { name: '?column?', type: 23, rows: [['1']] };

  it('sends each CTE that reads a table with the rows of those that it reads, and parameters of its own', async () => {
    const ids = { name: '_id', type: 2950, rows: [['x'], ['y']] };
    const { sent, client } = connection([HELD, ids, { name: 'n', type: 20, rows: [[1, 2]] }]);
    expect(
      await runStepByStep(client, new PreparedNames(), { ...statement, ctes: [...statement.ctes] }),
    ).toEqual([[1, 2]]);
    const held = `version_check AS NOT MATERIALIZED (SELECT * FROM jsonb_to_recordset($1::jsonb) AS s("?column?" integer))`;
    expect(sent).toEqual([
      {
        text: 'SELECT 1 FROM v WHERE id = $1::uuid',
        values: ['a'],
      },
      {
        text:
          `WITH ${held}, input_rows AS NOT MATERIALIZED (SELECT r.* FROM version_check, jsonb_to_recordset($2::jsonb) AS r(n int)) ` +
          'INSERT INTO t SELECT n, $3::integer FROM input_rows RETURNING _id',
        values: ['[{"?column?":"1"}]', '[]', 5],
      },
      {
        text:
          `WITH ${held}, written_rows AS NOT MATERIALIZED (SELECT * FROM jsonb_to_recordset($2::jsonb) AS s(_id uuid)) ` +
          'SELECT (SELECT count(*) FROM version_check), (SELECT count(*) FROM written_rows)',
        values: ['[{"?column?":"1"}]', '[{"_id":"x"},{"_id":"y"}]'],
      },
    ]);
  });

  it('passes documents on as their text, so that they stay as they are', async () => {
    const keys = new Cte('stored_keys', sql`SELECT c1 FROM t`);
    const rows = [['null'], ['[12345678901234567890]'], [null]];
    const { sent, client } = connection([
      { name: 'c1', type: 3802, rows },
      { name: 'n', type: 20, rows: [[3]] },
    ]);
    const query = sql`SELECT count(*) FROM ${keys}`;
    await runStepByStep(client, new PreparedNames(), { ctes: [keys], query });
    expect(sent[1]).toEqual({
      text:
        'WITH stored_keys AS NOT MATERIALIZED (SELECT c1::jsonb FROM jsonb_to_recordset($1::jsonb) AS s(c1 text)) ' +
        'SELECT count(*) FROM stored_keys',
      values: ['[{"c1":"null"},{"c1":"[12345678901234567890]"},{"c1":null}]'],
    });
  });

  it('ends after a version check that fails', async () => {
    const { sent, client } = connection([{ ...HELD, rows: [] }]);
    expect(
      await runStepByStep(client, new PreparedNames(), { ...statement, ctes: [...statement.ctes] }),
    ).toEqual([[0]]);
    expect(sent).toHaveLength(1);
  });
});
