import type { SeveralPlan } from '@typed-collections/plain-questions';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadSettings } from '../../../platform/config/load-settings.js';
import type { Analytics } from '../../analytics/analytics.service.js';
import type { Access } from '../../collections/collection-access.js';
import type { QueryRecords } from '../../records/query/query-records.service.js';
import type { CollectionOutline } from '../question-planner.js';
import { PlanRuns } from './plan-runs.service.js';

afterEach(() => vi.restoreAllMocks());

const NONE: CollectionOutline = {
  name: 'orders',
  description: null,
  columns: [],
  flexibleFields: [],
  samples: [],
  rowCount: 0,
};

/** Runs the given number of counts, each of which takes the given time. */
function counts(reads: number, milliseconds: number) {
  let [ran, now] = [0, 0];
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const count = async () => {
    [ran, now] = [ran + 1, now + milliseconds];
    return { count: ran };
  };
  const runs = new PlanRuns({} as QueryRecords, { count } as unknown as Analytics, loadSettings({}));
  const read = (name: number) => ({ name: String(name), plan: { operation: 'count' } as const });
  const plan: SeveralPlan = {
    operation: 'several',
    by: 'month',
    reads: Array.from({ length: reads }, (_, at) => read(at)),
  };
  return { ran: () => ran, run: () => runs.run({} as Access, NONE, plan) };
}

describe('a plan of several reads', () => {
  it('starts no read after ten seconds', async () => {
    const slow = counts(54, 4_000);
    await expect(slow.run()).rejects.toThrow('together take too long');
    expect(slow.ran()).toBe(3);
    expect((await counts(54, 100).run()).data).toMatchObject({ results: { length: 54 } });
  });

  it('has at most 54 reads, otherwise none is run', async () => {
    const many = counts(55, 0);
    await expect(many.run()).rejects.toThrow('at most 54 reads');
    expect(many.ran()).toBe(0);
  });
});
