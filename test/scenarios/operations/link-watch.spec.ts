import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WatchedClient } from '../../../src/database/connections/watched-client.js';
import { freshDatabaseUrl } from '../../app/database.js';
import { type DatabaseLink, linkTo } from './database-link.js';

/** What a look asks the server, and under which name. */
const LOOK = ['typed-collections monitor', 'pg_stat_activity'] as const;
/** Past this many milliseconds the client itself gives up a statement that nobody is seen to work on. */
const LIMIT_MS = 1_000;

describe('a statement that has waited past its limit', () => {
  async function connection(): Promise<[WatchedClient, DatabaseLink]> {
    const link = await linkTo(await freshDatabaseUrl());
    const client = new WatchedClient({ connectionString: link.url, silenceLimitMs: LIMIT_MS });
    await client.connect();
    onTestFinished(() => client.end().catch(() => undefined));
    return [client, link];
  }

  it('goes on where a busy server or pooler lets looks in and answers them after seconds', async () => {
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

  it('is given up where looks are let in and never answered', async () => {
    const [client, link] = await connection();
    link.holdAnswers(...LOOK, () => new Promise(() => undefined));
    await expect(client.query('SELECT pg_sleep(30)')).rejects.toThrow('went silent');
  });
});

it('a statement without a limit goes on while looks are let in and not answered', async () => {
  const link = await linkTo(await freshDatabaseUrl());
  const client = new WatchedClient({ connectionString: link.url });
  await client.connect();
  onTestFinished(() => client.end().catch(() => undefined));
  link.holdAnswers(...LOOK, () => new Promise(() => undefined));
  const { rows } = await client.query('SELECT pg_sleep(9), 1 AS done');
  expect(rows).toMatchObject([{ done: 1 }]);
});
