import { describe, expect, it, vi } from 'vitest';
import type { Collection } from '../collections/collection.entity.js';
import type { RecordSlots } from '../storage/record-slots.js';
import type { RecordStore } from '../storage/record-store.js';
import type { Contention } from './contention.service.js';
import type { RecordAct } from './record-event.js';
import { RecordInserts } from './record-inserts.service.js';
import type { SharedInserts } from './shared-inserts.service.js';

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

/** How many slots come back when the database fails like this. */
async function givenBack(failure: Error): Promise<number> {
  const slots = { take: async () => 1, giveBack: vi.fn(), forget: vi.fn() };
  const inserts = new RecordInserts(
    {} as RecordStore,
    {} as SharedInserts,
    slots as unknown as RecordSlots,
    { meet: () => Promise.reject(failure) } as unknown as Contention,
    { now: () => new Date() } as never,
  );
  await expect(inserts.append(collection, [{}], undefined, { call: {} } as RecordAct)).rejects.toBe(failure);
  return slots.giveBack.mock.calls.length;
}

describe('slots of an insert that failed', () => {
  it('are free again when the database refused it', async () => {
    expect(await givenBack(Object.assign(new Error('duplicate key'), { code: '23505' }))).toBe(1);
  });

  it.each([
    Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
    new Error('Connection terminated unexpectedly'),
    Object.assign(new Error('terminating connection'), { code: '57P01' }),
  ])('are not when nobody knows whether it was done: %s', async failure => {
    expect(await givenBack(failure)).toBe(0);
  });
});
