import { expect, it } from 'vitest';
import type { Call } from '../../base/kernel/call.js';
import type { QuotaLeases } from '../../engine/storage/quota/quota-leases.js';
import type { RecordTransactions } from '../../engine/storage/record-transactions.js';
import type { Collection } from '../collections/collection.entity.js';
import type { ExpiredRecords } from '../records/expiry.service.js';
import type { WriteRetries } from '../records/record-writes.js';
import { QuotaUsed } from './planned-records.js';
import { PutBackAttempts } from './put-back-attempts.service.js';

it.each([
  ['the deadline is over', -1, 1],
  ['all attempts are used', Infinity, 8],
])('answers 422 CollectionFull when other writes use the quota and %s', async (_, ms, attempts) => {
  const collection = { uniques: [], settings: { max_records: 5 } } as unknown as Collection;
  let runs = 0;
  const service = new PutBackAttempts(
    {} as RecordTransactions,
    {
      run: async () => {
        runs++;
        throw new QuotaUsed(3, 5);
      },
    } as unknown as WriteRetries,
    { waitForCapacity: async () => undefined } as unknown as QuotaLeases,
    {} as ExpiredRecords,
  );
  const attempt = { call: {} as Call, collection, until: performance.now() + ms, dryRun: false };
  const refused = service.run(attempt, async () => undefined);
  await expect(refused).rejects.toMatchObject({
    code: 'CollectionFull',
    status: 422,
    details: { max_records: 5, requested: 3 },
  });
  expect(runs).toBe(attempts);
});
