import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { COLLECTION } from '../../../../test/harness/answered-writes.js';
import { render } from '../../../base/sql/index.js';
import { tableOf } from '../table-sql.js';
import { TableStatistics } from './table-statistics.service.js';

const OTHER = { ...COLLECTION, id: '0199f3a2-7c41-7b1e-9d2a-3f5b8c6d7e03' } as typeof COLLECTION;
const NAME = nameOf(COLLECTION);

function nameOf(collection: typeof COLLECTION): string {
  return render(tableOf(collection)).text;
}

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

  it('of one table are left to autovacuum for five minutes after a failure, those of others are not', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const outgrown = [{ name: NAME }, { name: nameOf(OTHER) }];
    query.mockResolvedValueOnce(outgrown).mockRejectedValueOnce(new Error('statement timeout'));
    for (const table of [COLLECTION, OTHER]) statistics.grew(table, 500);
    await soon();
    expect(statements()).toEqual(['SELECT', 'ANALYZE', 'ANALYZE']);
    expect(warn).toHaveBeenCalledOnce();
    query.mockClear();
    for (const table of [COLLECTION, OTHER]) statistics.grew(table, 500);
    await vi.advanceTimersByTimeAsync(290_000);
    expect(query.mock.calls.map(([, [names]]) => names)).toEqual([[nameOf(OTHER)]]);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(query.mock.calls.map(([, [names]]) => names)).toEqual([[nameOf(OTHER)], [NAME]]);
  });

  it('are not looked at after the shutdown', async () => {
    statistics.grew(COLLECTION, 500);
    await statistics.beforeApplicationShutdown();
    await soon();
    expect(query).not.toHaveBeenCalled();
  });
});
