import { expect, it, vi } from 'vitest';
import { newId } from '../../../src/base/kernel/id.js';
import { User } from '../../../src/features/identity/identity.entity.js';
import { Transactions } from '../../../src/platform/database/transactions.js';
import { startApp } from '../../harness/app.js';

// TypeORM begins a transaction of its own to save an entity, unless it knows that one is open.
it('saving an entity in a transaction sends no statement that begins or ends one', async () => {
  const app = await startApp();
  const sent: string[] = [];
  const id = newId();
  await app.nest.get(Transactions).run(async manager => {
    const query = vi.spyOn(await manager.queryRunner!.connect(), 'query');
    await manager.save(manager.create(User, { id, email: null, emailVerified: false, anonymous: true }));
    sent.push(...query.mock.calls.map(([statement]) => String(statement)));
    query.mockRestore();
  });
  expect(sent.join('\n')).toContain('INSERT INTO "users"');
  expect(sent.filter(text => /^\s*(BEGIN|START|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)/i.test(text))).toEqual([]);
  expect(await app.nest.get(Transactions).run(manager => manager.existsBy(User, { id }))).toBe(true);
});
