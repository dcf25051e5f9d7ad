import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../app/app.js';
import {
  insert,
  newHome,
  newTypedCollection,
  search,
  type TestCollection,
} from '../../builders/collection.js';

const SLOW = { title: { $regex: '^(x*)(x*)(x*)(x*)\\1\\2\\3\\4$' } };
/** What its statement would take otherwise. */
const TIMEOUT_MS = 60_000;
const ACTIVE = `
  SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND state = 'active' AND query LIKE '%c_%' AND pid <> pg_backend_pid()`;

describe('a client that goes before its answer is there', () => {
  let app: TestApp;
  let books: TestCollection;
  beforeAll(async () => {
    app = await startOwnApp({
      database: 'own',
      environment: { DATABASE_STATEMENT_TIMEOUT_MS: String(TIMEOUT_MS) },
    });
    books = await newTypedCollection(app, await newHome(app));
    await insert(app, books, { title: 'x'.repeat(301) }, { title: 'short' });
  });
  afterAll(() => app.close());

  const active = async () => (await app.sql(ACTIVE)).length;

  function leave(method: string, path: string, body?: object): () => void {
    const gone = new AbortController();
    const address = `http://${app.settings.HOST}:${app.settings.PORT}`;
    fetch(`${address}${books.data}${path}`, {
      method,
      signal: gone.signal,
      headers: { authorization: `Bearer ${books.owner.token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }).catch(() => undefined);
    return () => gone.abort();
  }

  it.each<[string, string, string, object?]>([
    ['list', 'GET', `?filter=${encodeURIComponent(JSON.stringify(SLOW))}`],
    ['query', 'POST', '/query', { filter: SLOW }],
    ['count', 'GET', `/count?filter=${encodeURIComponent(JSON.stringify(SLOW))}`],
    [
      'list of distinct values',
      'GET',
      `/distinct?field=title&filter=${encodeURIComponent(JSON.stringify(SLOW))}`,
    ],
    ['aggregate', 'POST', '/aggregate', { filter: SLOW, steps: [{ type: 'count', output_field: 'n' }] }],
  ])('stops the statement of its %s', async (_, method, path, body) => {
    const go = leave(method, path, body);
    await expect.poll(active, { interval: 50, timeout: 10_000 }).toBe(1);
    await pause(200);
    expect(await active()).toBe(1);
    go();
    await expect.poll(active, { timeout: TIMEOUT_MS / 6, interval: 50 }).toBe(0);
    expect((await search(app, books, { filter: { title: 'short' } })).records).toHaveLength(1);
  });

  it('stops it, too, when it went at once, and leaves the queue', async () => {
    const goes = Array.from({ length: 12 }, () => leave('POST', '/query', { filter: SLOW }));
    await expect.poll(active, { interval: 10, timeout: 10_000 }).toBeGreaterThan(0);
    for (const go of goes) go();
    await expect.poll(active, { timeout: TIMEOUT_MS / 6, interval: 50 }).toBe(0);
    await pause(500);
    expect(await active()).toBe(0);
    expect((await search(app, books, { filter: { title: 'short' } })).records).toHaveLength(1);
  });
});
