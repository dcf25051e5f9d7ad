import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { COLLECTION } from '../../../test/builders/answered-writes.js';
import { TableStatistics } from './table-statistics.service.js';

const NAME = 'org_a.c_b';

describe('the statistics of growing tables', () => {
  const query = vi.fn();
  let statistics: TableStatistics;
  beforeEach(() => {
    vi.useFakeTimers();
    query.mockReset().mockResolvedValue([]);
    statistics = new TableStatistics({ query } as unknown as DataSource);
    statistics.onModuleInit();
  });
  afterEach(async () => {
    await statistics.beforeApplicationShutdown();
    vi.useRealTimers();
  });

  const soon = () => vi.advanceTimersByTimeAsync(2_000);
  const statements = () => query.mock.calls.map(([text]) => String(text).trim().split(/\s+/, 1)[0]);

  it('are compared with the size of a table only after 500 new records', async () => {
    statistics.grew(COLLECTION, 499);
    await soon();
    expect(query).not.toHaveBeenCalled();
    statistics.grew(COLLECTION, 1);
    await soon();
    await soon();
    expect(statements()).toEqual(['SELECT']);
  });

  it('are renewed for a table that has outgrown them', async () => {
    query.mockResolvedValueOnce([{ name: NAME }]);
    statistics.grew(COLLECTION, 500);
    await soon();
    expect(query.mock.lastCall).toEqual([`ANALYZE (SKIP_LOCKED) ${NAME}`]);
  });

  it('are left to autovacuum for five minutes after a failure', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    query.mockResolvedValueOnce([{ name: NAME }]).mockRejectedValueOnce(new Error('statement timeout'));
    statistics.grew(COLLECTION, 500);
    await soon();
    expect(statements()).toEqual(['SELECT', 'ANALYZE']);
    expect(warn).toHaveBeenCalledOnce();
    statistics.grew(COLLECTION, 500);
    await vi.advanceTimersByTimeAsync(290_000);
    expect(statements()).toEqual(['SELECT', 'ANALYZE']);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(statements()).toEqual(['SELECT', 'ANALYZE', 'SELECT']);
  });

  it('are not looked at after the shutdown', async () => {
    statistics.grew(COLLECTION, 500);
    await statistics.beforeApplicationShutdown();
    await soon();
    expect(query).not.toHaveBeenCalled();
  });
});
