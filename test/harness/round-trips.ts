import { AsyncLocalStorage } from 'node:async_hooks';
import type { Server } from 'node:http';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { vi } from 'vitest';
import { ReadPipeline } from '../../src/platform/database/connections/read-pipeline.js';
import type { TestApp } from './app.js';

/** How much the counted requests used the database. */
interface DatabaseUse {
  /** How often they took a connection of the pool. */
  pooled: number;
  /** How many statements they sent through `ReadPipeline`. */
  piped: number;
}

/** Runs work that no request begins, and counts what it uses. */
type Counted = <T>(work: () => Promise<T>) => Promise<T>;

/** The counter of the request that runs. */
const counter = new AsyncLocalStorage<DatabaseUse>();

/**
 * Counts what the requests use that an app gets while a function runs. An app that several test files share may be
 * busy with other work, too; work that no such request began is not counted.
 */
export async function databaseUse(
  { nest }: TestApp,
  work: (counted: Counted) => Promise<unknown>,
): Promise<DatabaseUse> {
  const use = { pooled: 0, piped: 0 };
  const server: Server = nest.getHttpServer();
  const count = () => counter.enterWith(use);
  const { master: pool } = nest.get(DataSource).driver as unknown as { master: Pool };
  const pipeline = nest.get(ReadPipeline, { strict: false });
  const connect = pool.connect.bind(pool) as (...given: unknown[]) => unknown;
  const run = pipeline.run.bind(pipeline);
  const ofRequest = () => counter.getStore() === use;
  const spies = [
    vi.spyOn(pool, 'connect').mockImplementation((...given: unknown[]) => {
      if (ofRequest()) use.pooled++;
      return connect(...given);
    }),
    vi.spyOn(pipeline, 'run').mockImplementation((...given) => {
      if (ofRequest()) use.piped++;
      return run(...given);
    }),
  ];
  server.prependListener('request', count);
  try {
    await work(ownWork => counter.run(use, ownWork));
    return use;
  } finally {
    server.off('request', count);
    for (const spy of spies) spy.mockRestore();
  }
}

/** Counts the connections of the pool that the requests take which an app gets while a function runs. */
export async function roundTrips(app: TestApp, work: () => Promise<unknown>): Promise<number> {
  return (await databaseUse(app, work)).pooled;
}
