import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { expect } from 'vitest';
import { Admission } from '../../../src/platform/database/admission/admission.js';
import type { Estate } from './withdrawals.js';

/** The queues in which writes wait, and their keys. */
function queues({ app, collection }: Estate) {
  const { records, platform, schema, builds } = app.nest.get(Admission);
  return [
    [records, collection.id],
    [platform, 'writes'],
    [schema, collection.id],
    [builds, collection.id],
  ] as const;
}

/** Takes all places of the organization and the collection. Returns a function that frees them. */
export async function fill(estate: Estate): Promise<() => void> {
  const taken = await Promise.all(
    queues(estate).flatMap(([queue, key]) =>
      Array.from({ length: queue.limits.perKey }, async (_, caller) => {
        const place = await queue.enter(estate.org.id, key, undefined, undefined, `caller ${caller}`);
        return () => queue.leave(place);
      }),
    ),
  );
  return () => {
    for (const leave of taken) leave();
  };
}

/** Resolves when all sent requests wait for admission. Inserts may share one wait for a quota lease. */
export async function allWait(estate: Estate): Promise<void> {
  const waiting = () => queues(estate).reduce((sum, [queue]) => sum + queue.waiting, 0);
  let before = 0;
  for (let same = 0; same < 5; ) {
    await pause(30);
    same = waiting() > 0 && waiting() === before ? same + 1 : 0;
    before = waiting();
  }
}

/** Counts statements that wait for a lock. */
export async function blocked({ app }: Estate): Promise<number> {
  const [{ count }] = await app.sql(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return count;
}

/** Runs `work` while another connection's transaction holds `lock`, then commits that transaction. */
export async function holding<T>(
  { app }: Estate,
  lock: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: app.settings.DATABASE_URL });
  await client.connect();
  try {
    await client.query(`BEGIN; ${lock}`);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } finally {
    await client.end();
  }
}

export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  await expect.poll(condition, { interval: 20, timeout: 4_000 }).toBe(true);
}
