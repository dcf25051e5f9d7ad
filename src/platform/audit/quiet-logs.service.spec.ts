import type { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { Clock } from '../../base/kernel/clock.js';
import type { Settings } from '../config/settings.js';
import { type AuditLogName, eventsTable } from './audit-logs.service.js';
import { QuietLogs } from './quiet-logs.service.js';

const HOUR_MS = 3_600_000;
const LOG: AuditLogName = { orgId: '0197a1c4-0000-7000-8000-000000000001', name: 'acme' };

/** Quiet logs with statistics and a time that the test sets. */
function quietLogs(citus = 'off') {
  const state = { inserted: 7, era: 'first', now: 0, isCounted: true };
  const query = async () =>
    state.isCounted ? [{ table: eventsTable(LOG), inserted: state.inserted, era: state.era }] : [];
  const clock = new (class extends Clock {
    now = () => new Date(state.now);
  })();
  const quiet = new QuietLogs({ query } as unknown as DataSource, clock, {
    DATABASE_CITUS: citus,
  } as Settings);
  const isQuietAfter = async (ms: number) => {
    state.now += ms;
    await quiet.count();
    return quiet.isQuiet(LOG);
  };
  const linked = async () => {
    await quiet.count();
    quiet.markLinked(LOG);
  };
  return { state, isQuietAfter, linked };
}

describe('a log is not asked for events', () => {
  it('while PostgreSQL has counted none since all were linked', async () => {
    const { isQuietAfter, linked } = quietLogs();
    expect(await isQuietAfter(HOUR_MS)).toBe(false);
    await linked();
    expect(await isQuietAfter(HOUR_MS)).toBe(true);
    expect(await isQuietAfter(HOUR_MS)).toBe(true);
  });
});

describe('a log is asked for events', () => {
  it('within a minute, because they may not be counted yet, and once a day', async () => {
    const { isQuietAfter, linked } = quietLogs();
    await linked();
    expect(await isQuietAfter(59_999)).toBe(false);
    expect(await isQuietAfter(23 * HOUR_MS)).toBe(true);
    expect(await isQuietAfter(HOUR_MS)).toBe(false);
  });

  it.each([
    ['PostgreSQL has counted one', { inserted: 8 }],
    ['PostgreSQL has begun to count anew', { era: 'second' }],
    ['PostgreSQL does not count', { isCounted: false }],
  ])('when %s', async (_, change) => {
    const { state, isQuietAfter, linked } = quietLogs();
    await linked();
    Object.assign(state, change);
    expect(await isQuietAfter(HOUR_MS)).toBe(false);
  });

  it('always on Citus, which does not count on the coordinator', async () => {
    const { isQuietAfter, linked } = quietLogs('on');
    await linked();
    expect(await isQuietAfter(HOUR_MS)).toBe(false);
  });
});
