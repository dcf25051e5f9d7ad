import type { MigrationInterface } from 'typeorm';
import { DataSource } from 'typeorm';
import { expect, it } from 'vitest';
import { MIGRATIONS } from '../../../src/platform/database/migrations.js';
import { startOwnApp } from '../../harness/app.js';
import { newHome } from '../../harness/collection.js';
import { schemaOf } from '../../harness/tables.js';

it('the migration adds the table of stored answers to existing organizations, can run twice, and can be reverted', async () => {
  const app = await startOwnApp({ database: 'own' });
  const there = [await newHome(app), await newHome(app)];
  const Migration = MIGRATIONS.find(({ name }) => name.startsWith('CreateIdempotency'));
  const migration = new (Migration as new () => MigrationInterface)();
  const tables = async () => {
    const rows = await app.sql(
      `SELECT n.nspname AS schema FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_proc p ON p.pronamespace = n.oid AND p.proname = 'claim_idempotency_key'
       WHERE c.relname = 'idempotency_keys'`,
    );
    return rows.map(({ schema }) => schema).sort();
  };
  const before = await tables();
  const schemas = there.map(({ org }) => schemaOf(org.id));
  expect(before).toEqual(expect.arrayContaining(schemas));
  const runner = app.nest.get(DataSource).createQueryRunner();
  try {
    await migration.down(runner);
    expect(await tables()).toEqual([]);
    const without = await newHome(app);
    await migration.up(runner);
    await migration.up(runner);
    const schema = schemaOf(without.org.id);
    expect(await tables()).toEqual([...before, schema].sort());
    const after = await newHome(app);
    expect(await tables()).toContain(schemaOf(after.org.id));
  } finally {
    await runner.release();
    await app.close();
  }
});
