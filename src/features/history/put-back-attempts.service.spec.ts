import { expect, it } from 'vitest';
import type { Call } from '../../base/kernel/call.js';
import { QuotaUsed } from '../../engine/storage/quota/quota.js';
import type { RecordTransactions } from '../../engine/storage/record-transactions.js';
import type { Access, CollectionAccess } from '../collections/collection-access.js';
import { WriteAttempts } from '../records/write-attempts.js';
import { PutBackAttempts } from './put-back-attempts.service.js';

it.each([
  ['the deadline is over', -1, 1],
  ['all attempts are used', 60_000, 8],
])('answers 422 CollectionFull when other writes use the quota and %s', async (_, ms, attempts) => {
  const access = { collection: { uniques: [], settings: { max_records: 5 } } } as unknown as Access;
  let runs = 0;
  const service = new PutBackAttempts(
    {
      run: async () => {
        runs++;
        throw new QuotaUsed(3, 5);
      },
    } as unknown as RecordTransactions,
    new WriteAttempts(
      { current: async () => access } as unknown as CollectionAccess,
      { waitForCapacity: async () => undefined } as never,
      {} as never,
      { REQUEST_TIMEOUT_MS: ms } as never,
    ),
  );
  const refused = service.run(access, {
    call: {} as Call,
    dryRun: false,
    within: async () => undefined,
  });
  await expect(refused).rejects.toMatchObject({
    code: 'CollectionFull',
    status: 422,
    details: { max_records: 5, requested: 3 },
  });
  expect(runs).toBe(attempts);
});
