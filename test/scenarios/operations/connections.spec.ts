import { DataSource } from 'typeorm';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { Statements } from '../../../src/platform/database/statements.js';
import { startApp, type TestApp } from '../../harness/app.js';

/** With a pooler, connections to the server belong to the pooler, which ends them by its `server_lifetime`. */
const { pooler } = inject('testServer');

// PostgreSQL caches every table that a connection uses and never drops it, so connections must be replaced.
describe.skipIf(pooler !== undefined)('a connection to the database', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });

  const PID = 'SELECT pg_backend_pid() AS pid';

  it('is replaced after TypeORM has used it a thousand times', async () => {
    const source = app.nest.get(DataSource);
    const uses = new Map<number, number>();
    for (let n = 0; n < 3_000; n++) {
      const [{ pid }] = await source.query(PID);
      uses.set(pid, (uses.get(pid) ?? 0) + 1);
    }
    expect(Math.max(...uses.values())).toBeLessThanOrEqual(1_000);
  });

  it('that a statement about many tables used is not used again', async () => {
    const statements = app.nest.get(Statements);
    const [[apart]] = (await statements.runApart(PID, [])) as [[number]];
    const [[other]] = (await statements.run(PID, [])) as [[number]];
    expect(other).not.toBe(apart);
    await expect
      .poll(() => app.sql('SELECT pid FROM pg_stat_activity WHERE pid = $1', [apart]), { timeout: 10_000 })
      .toEqual([]);
  });
});
