import { describe, expect, it } from 'vitest';
import { sharedUpdate } from './batched-updates.js';
import type { RecordAct, Write } from './record-writes.js';

const WRITE = {
  act: { call: {}, type: 'collections.records.updated' },
  until: Infinity,
} as unknown as Write;

describe('updates that do not share a statement', () => {
  it.each<[string, Partial<Write>, object?]>([
    ['with an entity tag', {}, { tags: ['1-1-2'] }],
    ['that are dry runs', { dryRun: true }],
    ['that change the time of expiry', { expiresAt: null }],
    ['with an idempotency key', { act: { call: { retry: {} } } as RecordAct }],
  ])('are those %s', (_, write, selection) => {
    const columns = [{ column: 'copies', change: 'inc' as const, value: -1 }];
    const changes = { columns, flexible: {}, removed: [] };
    expect(sharedUpdate({ recordId: 'a', ...selection }, changes, { ...WRITE, ...write })).toBeUndefined();
  });

  it('are those of many values', () => {
    const flexible = (length: number) => ({
      columns: [],
      flexible: { text: 'x'.repeat(length) },
      removed: [],
    });
    expect(sharedUpdate({ recordId: 'a' }, flexible(9_000), WRITE)).toBeUndefined();
    expect(sharedUpdate({ recordId: 'a' }, flexible(10), WRITE)).toBeDefined();
  });
});
