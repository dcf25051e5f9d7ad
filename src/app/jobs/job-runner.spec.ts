import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { afterEach, expect, it, vi } from 'vitest';
import type { LoneWork } from '../../platform/database/lone-work.js';
import { JobRunner } from './job-runner.js';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A runner whose database is unavailable until `mend` is called. */
function newRunner() {
  let away = true;
  const query = async () => {
    if (away) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    return [{}];
  };
  const run: LoneWork['run'] = async (_lock, _purpose, work) => {
    await query();
    return work({ query }, new AbortController().signal);
  };
  const runner = new JobRunner({ query } as unknown as DataSource, { run } as LoneWork);
  const mend = () => {
    away = false;
  };
  return { runner, mend };
}

it('logs runs that fail for a lost database at intervals that double up to a minute, and the end of the outage once', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const warned = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const errors = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  vi.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
  const { runner, mend } = newRunner();
  for (let seconds = 0; seconds < 300; seconds += 5) {
    await runner.run('a-job', async () => ({}));
    await runner.run('another-job', async () => ({}));
    expect(await runner.killed()).toEqual([]);
    vi.advanceTimersByTime(5_000);
  }
  expect(errors).not.toHaveBeenCalled();
  expect(warned.mock.calls.length).toBeLessThan(12);
  expect(warned.mock.calls[0]).toEqual(['running jobs failed: connect ECONNREFUSED']);
  mend();
  await runner.run('a-job', async () => ({}));
  await runner.run('another-job', async () => ({}));
  expect(warned.mock.calls.filter(([line]) => line === 'running jobs works again')).toHaveLength(1);
});

it('logs every failure that has another cause than a lost database', async () => {
  const errors = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  const { runner, mend } = newRunner();
  mend();
  const failure = Object.assign(new Error('on purpose'), { code: '57014' });
  for (let n = 0; n < 3; n++) await runner.run('a-job', () => Promise.reject(failure));
  expect(errors.mock.calls).toEqual(Array.from({ length: 3 }, () => [failure, 'a-job']));
});
