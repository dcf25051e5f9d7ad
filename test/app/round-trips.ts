import { SchedulerRegistry } from '@nestjs/schedule';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { vi } from 'vitest';
import { WebhookDispatch } from '../../src/changes/webhooks/webhook-dispatch.service.js';
import { WebhookSender } from '../../src/changes/webhooks/webhook-sender.service.js';
import { ReadPipeline } from '../../src/database/connections/read-pipeline.js';
import { JobRunner } from '../../src/jobs/job-runner.js';
import type { TestApp } from './app.js';

/** Runs a function while no scheduled job of the app runs. A job uses connections, which would be counted too. */
async function withoutJobs<Result>(nest: TestApp['nest'], work: () => Promise<Result>): Promise<Result> {
  const jobs = [...nest.get(SchedulerRegistry, { strict: false }).getCronJobs().values()];
  await Promise.all(jobs.map(job => job.stop()));
  await Promise.all(Reflect.get(nest.get(JobRunner, { strict: false }), 'running'));
  try {
    return await work();
  } finally {
    for (const job of jobs) job.start();
  }
}

/**
 * Counts how often an app takes a database connection while a function runs. Stops the app's webhook worker for
 * good.
 */
export async function roundTrips({ nest }: TestApp, work: () => Promise<unknown>): Promise<number> {
  // Webhooks query the database every second, which would be counted too.
  for (const loop of [WebhookDispatch, WebhookSender]) {
    await nest.get(loop, { strict: false }).beforeApplicationShutdown();
  }
  const pool = (nest.get(DataSource).driver as unknown as { master: Pool }).master;
  return withoutJobs(nest, async () => {
    let taken = 0;
    const acquired = () => void taken++;
    pool.on('acquire', acquired);
    try {
      await work();
      return taken;
    } finally {
      pool.off('acquire', acquired);
    }
  });
}

/** Connections of the pool that an app takes while a function runs, and statements that it sends on the pipeline. */
export async function databaseUse(
  app: TestApp,
  work: () => Promise<unknown>,
): Promise<{ pooled: number; piped: number }> {
  const run = vi.spyOn(app.nest.get(ReadPipeline, { strict: false }), 'run');
  try {
    const pooled = await roundTrips(app, work);
    return { pooled, piped: run.mock.calls.length };
  } finally {
    run.mockRestore();
  }
}
