import pg from 'pg';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Statements } from '../../../src/platform/database/statements.js';
import { startApp, type TestApp } from '../../harness/app.js';

describe('a statement whose rows are passed on when they arrive', () => {
  let app: TestApp;
  let statements: Statements;
  beforeAll(async () => {
    app = await startApp();
    statements = app.nest.get(Statements);
  });

  /** The third of these rows is a division by zero when `divisor` is 3. */
  const ROWS = `SELECT n AS "eachRow", 1 / (n - $1::int) FROM generate_series(1, 5) n`;

  async function taken(divisor: number) {
    const rows: number[] = [];
    const ended = await statements
      .forEachRow<{ eachRow: number }>(ROWS, [divisor], ({ eachRow }) => rows.push(eachRow))
      .catch(error => error);
    return { rows, ended };
  }

  it('passes on all rows in order, and keeps none', async () => {
    const keep = vi.spyOn(
      (pg as unknown as { Result: { prototype: { addRow(row: object): void } } }).Result.prototype,
      'addRow',
    );
    expect(await taken(9)).toEqual({ rows: [1, 2, 3, 4, 5], ended: undefined });
    expect(keep.mock.calls.filter(([row]) => 'eachRow' in row)).toEqual([]);
    keep.mockRestore();
  });

  it('rejects when the statement fails, and its connection can be used again', async () => {
    for (let n = 0; n < 30; n++) expect((await taken(3)).ended).toMatchObject({ code: '22012' });
    expect(await taken(9)).toMatchObject({ rows: [1, 2, 3, 4, 5] });
  });

  it('rejects when its connection breaks, and the next statement has another connection', async () => {
    const rows: object[] = [];
    const broken = statements.forEachRow('SELECT pg_terminate_backend(pg_backend_pid())', [], row =>
      rows.push(row),
    );
    await expect(broken).rejects.toThrow();
    expect(await taken(9)).toMatchObject({ rows: [1, 2, 3, 4, 5] });
  });
});
