import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { sqlState } from '../../../src/base/kernel/sql-state.js';
import { User } from '../../../src/features/identity/identity.entity.js';
import { namedLock } from '../../../src/platform/database/advisory-locks.js';
import { CredentialChanges } from '../../../src/platform/database/credential-changes.js';
import { Transactions } from '../../../src/platform/database/transactions.js';
import { startApp, type TestApp } from '../../harness/app.js';
import { newHome } from '../../harness/collection.js';

describe('a transaction', () => {
  let app: TestApp;
  let transactions: Transactions;
  beforeAll(async () => {
    app = await startApp();
    transactions = app.nest.get(Transactions);
  });

  const newUser = () =>
    Object.assign(new User(), { id: randomUUID(), email: `${randomUUID()}@example.org`, name: 'Ann' });
  const isStored = async ({ id }: User) =>
    (await app.sql('SELECT FROM users WHERE id = $1', [id])).length > 0;
  const stateOf = (failing: Promise<unknown>) =>
    failing.then(
      () => undefined,
      error => sqlState(error),
    );

  it('stores everything, or nothing when its work throws, also what TypeORM saves', async () => {
    const [stored, lost] = [newUser(), newUser()];
    await transactions.run(manager => manager.save(stored));
    const failing = transactions.run(async manager => {
      await manager.save(lost);
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    expect([await isStored(stored), await isStored(lost)]).toEqual([true, false]);
  });

  it('begins and ends with one message each', async () => {
    const pool = (app.nest.get(DataSource).driver as unknown as { master: Pool }).master;
    const client = await pool.connect();
    client.release();
    const sent = vi.spyOn(Object.getPrototypeOf(client), 'query');
    try {
      await transactions.run({ lock: namedLock('test'), lockTimeoutMs: 700 }, manager =>
        manager.query('SELECT 12345'),
      );
      const all = sent.mock.calls.map(([text], n) => ({ text, connection: sent.mock.contexts[n] }));
      const { connection } = all.find(({ text }) => text === 'SELECT 12345') ?? {};
      const texts = all.filter(each => each.connection === connection).map(({ text }) => text);
      const at = texts.indexOf('SELECT 12345');
      expect(texts[at - 1]).toMatch(/^BEGIN; SET LOCAL lock_timeout = 700; SELECT pg_advisory_xact_lock/);
      expect(texts[at + 1]).toMatch(/; COMMIT$/);
    } finally {
      sent.mockRestore();
    }
  });

  it('waits for a lock as long as its lock timeout', async () => {
    const waiting = () =>
      transactions.run({ lock: namedLock('test'), lockTimeoutMs: 50 }, async () => 'held');
    await transactions.run({ lock: namedLock('test') }, async () => {
      expect(await stateOf(waiting())).toBe('55P03');
    });
    expect(await waiting()).toBe('held');
  });

  it('on a snapshot sees nothing that is committed later, and cannot write', async () => {
    const user = newUser();
    await transactions.run({ snapshot: true }, async manager => {
      const count = () => manager.countBy(User, { id: user.id });
      expect(await count()).toBe(0);
      await transactions.run(other => other.save(user));
      expect(await count()).toBe(0);
    });
    expect(await stateOf(transactions.run({ snapshot: true }, manager => manager.save(newUser())))).toBe(
      '25006',
    );
  });

  it('tells this process about changed rights before it returns, and not when it is rolled back', async () => {
    const { org } = await newHome(app);
    const announced = vi.spyOn(app.nest.get(CredentialChanges, { strict: false }), 'announce');
    const leave = (then: () => void) =>
      transactions.run(async manager => {
        await manager.query('DELETE FROM org_memberships WHERE org_id = $1', [org.id]);
        then();
      });
    try {
      const undone = leave(() => {
        throw new Error('on purpose');
      });
      await expect(undone).rejects.toThrow('on purpose');
      expect(announced).not.toHaveBeenCalled();
      await leave(() => undefined);
      expect(announced).toHaveBeenCalled();
    } finally {
      announced.mockRestore();
    }
  });
});
