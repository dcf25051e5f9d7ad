import { DataSource } from 'typeorm';
import { expect } from 'vitest';
import type { TestApp, TestResponse } from './app.js';
import { insert, type TestCollection } from './collection.js';

/**
 * Keeps two updates running, which wait for records that another transaction has locked, while `send` sends further
 * ones: these share statements. Resolves to the answers of all further ones. The collection must have no column in which
 * two records need different values.
 */
export async function sharingUpdates(
  app: TestApp,
  collection: TestCollection,
  send: () => readonly Promise<TestResponse>[],
): Promise<TestResponse[]> {
  const { data, owner, table } = collection;
  const held = await insert(app, collection, {}, {});
  const other = app.nest.get(DataSource).createQueryRunner();
  await other.startTransaction();
  try {
    await other.query(`SELECT FROM ${table} WHERE _id = ANY($1) FOR UPDATE`, [held]);
    const [{ pid }] = await other.query('SELECT pg_backend_pid() AS pid');
    const waiting = async () =>
      (await app.sql('SELECT FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))', [pid])).length;
    const running: Promise<TestResponse>[] = [];
    for (const id of held) {
      running.push(app.request('PATCH', `${data}/${id}`, { ...owner, body: { $set: { held: true } } }));
      await expect.poll(waiting, { timeout: 10_000, interval: 10 }).toBe(running.length);
    }
    const answers = await Promise.all(send());
    await other.commitTransaction();
    for (const { status } of await Promise.all(running)) expect(status).toBe(200);
    return answers;
  } finally {
    if (other.isTransactionActive) await other.rollbackTransaction();
    await other.release();
  }
}
