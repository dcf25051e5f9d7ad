import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PreparedNames } from '../../../src/platform/database/connections/prepared-names.js';
import { ReadPipeline } from '../../../src/platform/database/connections/read-pipeline.js';
import { startApp, type TestApp } from '../../harness/app.js';

describe('connections of the read pipeline', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });

  it('all end, even if each is full while its successor is being opened', async () => {
    const full = { of: () => undefined, isFull: () => true } as unknown as PreparedNames;
    const pipeline = new ReadPipeline(app.settings, full);
    const text = `SELECT pg_sleep(0.01), 'a pipeline that is always full'`;
    const answers: Promise<unknown>[] = [];
    for (let asked = 0; asked < 100; asked++) {
      answers.push(pipeline.run({ text, values: [] }));
      await pause(2);
    }
    expect(await Promise.all(answers)).toHaveLength(100);
    await pipeline.onApplicationShutdown();
    const left = () => app.sql('SELECT pid FROM pg_stat_activity WHERE query = $1', [text]);
    await expect.poll(left, { timeout: 5_000 }).toEqual([]);
  });
});
