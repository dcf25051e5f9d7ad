import { describe, expect, it, vi } from 'vitest';
import type { QuotaLeases } from '../../engine/storage/quota/quota-leases.js';
import type { RecordStore } from '../../engine/storage/record-store.js';
import { Stale } from '../../engine/storage/stale.js';
import type { Collection } from '../collections/collection.entity.js';
import type { ExpiredRecords } from './expiry.service.js';
import { QuotaInserts } from './insert-records.service.js';
import type { RecordAct, WriteRetries } from './record-writes.js';
import type { WriteBatcher } from './write-batcher.service.js';

const ORG = '0199f3a2-7c41-7b1e-9d2a-3f5b8c6d7e01';
const collection = {
  id: '0199f3a2-7c41-7b1e-9d2a-3f5b8c6d7e02',
  orgId: ORG,
  name: 'books',
  version: 1,
  columns: {},
  uniques: [],
  settings: { max_records: 10, ttl_days: 0 },
} as unknown as Collection;

/** How an insert leaves its quota lease after this database error. */
async function done(failure: Error) {
  const lease = { generation: 1, settle: vi.fn(), abandon: vi.fn(), forget: vi.fn() };
  const inserts = new QuotaInserts(
    {} as RecordStore,
    {} as WriteBatcher,
    { lease: () => lease } as unknown as QuotaLeases,
    { run: () => Promise.reject(failure) } as unknown as WriteRetries,
    {} as ExpiredRecords,
    { now: () => new Date() } as never,
  );
  await expect(
    inserts.append(
      collection,
      { json: '[[]]', count: 1, only: [] },
      undefined,
      { call: {} } as RecordAct,
      Infinity,
    ),
  ).rejects.toBe(failure);
  return {
    unused: lease.settle.mock.calls[0]?.[0],
    abandoned: lease.abandon.mock.calls.length,
    forgotten: lease.forget.mock.calls.length,
  };
}

describe('the quota of an insert that failed', () => {
  it('is released if the database refused the insert', async () => {
    const refused = Object.assign(new Error('duplicate key'), { code: '23505' });
    expect(await done(refused)).toEqual({ unused: 1, abandoned: 0, forgotten: 0 });
  });

  it('is lost with its lease if the collection has changed', async () => {
    expect(await done(new Stale())).toEqual({ unused: undefined, abandoned: 0, forgotten: 1 });
  });

  it.each([
    Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
    new Error('Connection terminated unexpectedly'),
    Object.assign(new Error('terminating connection'), { code: '57P01' }),
  ])('is counted again when it is unknown whether the insert was written: %s', async failure => {
    expect(await done(failure)).toEqual({ unused: undefined, abandoned: 1, forgotten: 0 });
  });
});
