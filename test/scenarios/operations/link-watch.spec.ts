import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WatchedClient } from '../../../src/platform/database/connections/watched-client.js';
import { freshDatabaseUrl } from '../../harness/database.js';
import { type DatabaseLink, linkTo } from './database-link.js';

/** The query and the application name of a check. */
const LOOK = ['typed-collections monitor', 'pg_stat_activity'] as const;
/** After this many milliseconds the client gives up a statement if no server process is seen to work on it. */
const LIMIT_MS = 1_000;

describe('a statement that exceeds its time limit', () => {
  async function connection(): Promise<[WatchedClient, DatabaseLink]> {
    const link = await linkTo(await freshDatabaseUrl());
    const client = new WatchedClient({ connectionString: link.url, silenceLimitMs: LIMIT_MS });
    await client.connect();
    onTestFinished(() => client.end().catch(() => undefined));
    return [client, link];
  }

  it('continues if a busy server or pooler accepts checks and answers them after seconds', async () => {
    const [client, link] = await connection();
    let looks = 0;
    link.holdAnswers(...LOOK, () => {
      looks += 1;
      return pause(2_500);
    });
    const { rows } = await client.query('SELECT pg_sleep(9), 1 AS done');
    expect(rows).toMatchObject([{ done: 1 }]);
    expect(looks).toBeGreaterThan(0);
  });

  it('is given up if checks are accepted and never answered', async () => {
    const [client, link] = await connection();
    link.holdAnswers(...LOOK, () => new Promise(() => undefined));
    await expect(client.query('SELECT pg_sleep(30)')).rejects.toThrow('stopped responding');
  });
});

it('continues if it has no limit, while checks are accepted and not answered', async () => {
  const link = await linkTo(await freshDatabaseUrl());
  const client = new WatchedClient({ connectionString: link.url });
  await client.connect();
  onTestFinished(() => client.end().catch(() => undefined));
  link.holdAnswers(...LOOK, () => new Promise(() => undefined));
  const { rows } = await client.query('SELECT pg_sleep(9), 1 AS done');
  expect(rows).toMatchObject([{ done: 1 }]);
});
